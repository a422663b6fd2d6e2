/** Shows `data-hint` of what the pointer is over. The page allows this script alone, by its hash. */
export const HINT_SCRIPT = `
const box = document.createElement('div');
box.className = 'hint';
box.hidden = true;
document.body.append(box);
document.addEventListener('pointermove', (event) => {
  const at = event.target instanceof Element ? event.target.closest('[data-hint]') : null;
  box.hidden = at === null;
  if (at === null) return;
  box.textContent = at.getAttribute('data-hint');
  const { clientWidth, clientHeight } = document.documentElement;
  const { offsetWidth, offsetHeight } = box;
  box.style.left = Math.max(4, Math.min(event.clientX + 14, clientWidth - offsetWidth - 4)) + 'px';
  box.style.top = Math.max(4, Math.min(event.clientY + 14, clientHeight - offsetHeight - 4)) + 'px';
});
`;
