/** The style of the report: light and dark by preference, one column, tables that scroll where they are too wide. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --page: #ffffff; --panel: #f6f7f9; --ink: #1c2128; --muted: #59636e; --line: #d9dee3;
  --weight: #7c3aed; --harness: #0e7490; --good: #15803d; --base: #b45309; --bad: #b91c1c;
  --weight-shade: rgba(124, 58, 237, .09); --harness-shade: rgba(14, 116, 144, .10);
  --add: #dafbe1; --del: #ffebe9;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0f1319; --panel: #181e26; --ink: #e6edf3; --muted: #9aa5b1; --line: #2f3742;
    --weight: #b794f6; --harness: #4cc9e0; --good: #4ade80; --base: #f6ad55; --bad: #f87171;
    --weight-shade: rgba(183, 148, 246, .13); --harness-shade: rgba(76, 201, 224, .12);
    --add: #12361f; --del: #4a1a1c;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
main { max-width: 1040px; margin: 0 auto; padding: 32px 20px 80px; }
h1 { font-size: 1.9rem; line-height: 1.25; margin: 4px 0 12px; text-wrap: balance; }
h2 { font-size: 1.25rem; margin: 48px 0 4px; }
p { margin: 4px 0 12px; max-width: 72ch; }
.muted, figcaption, caption { color: var(--muted); font-size: .9rem; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(170px, 1fr)); gap: 12px; margin: 20px 0; }
.card { background: var(--panel); border: 1px solid var(--line); border-radius: 10px; padding: 12px 16px; }
.card b { display: block; font-size: 1.5rem; white-space: nowrap; line-height: 1.3; font-variant-numeric: tabular-nums; }
.card span { color: var(--muted); font-size: .85rem; }
figure { margin: 12px 0 0; overflow-x: auto; }
figure svg { display: block; width: 100%; min-width: 640px; height: auto; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; margin: 8px 0; font-size: .92rem; }
th, td { text-align: left; padding: 6px 14px 6px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--muted); font-weight: 600; white-space: nowrap; }
caption { text-align: left; padding-bottom: 4px; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
tr.accepted td:first-child { box-shadow: inset 3px 0 var(--good); padding-left: 10px; }
.tag { font-size: .78rem; font-weight: 600; padding: 1px 8px; border-radius: 99px; border: 1px solid; white-space: nowrap; }
.tag.weight { color: var(--weight); } .tag.harness { color: var(--harness); } .tag.good { color: var(--good); }
.tag.bad { color: var(--bad); } .tag.base { color: var(--base); }
code, pre { font: .84rem/1.5 ui-monospace, SFMono-Regular, Menlo, monospace; }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; padding: 12px; overflow-x: auto; margin: 8px 0; }
pre .add { background: var(--add); display: block; } pre .del { background: var(--del); display: block; }
pre .at { color: var(--muted); display: block; } pre .same { display: block; }
details > summary { cursor: pointer; color: var(--muted); }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(320px, 1fr)); gap: 20px; }
.side { border: 1px solid var(--line); border-radius: 10px; padding: 12px 16px; min-width: 0; }
.side h3 { margin: 0 0 8px; font-size: 1rem; }
.segment { border-left: 3px solid var(--line); padding: 2px 0 2px 12px; margin: 8px 0; }
.segment.model { border-color: var(--weight); } .segment.tool, .segment.env { border-color: var(--harness); }
.segment.system, .segment.user { border-color: var(--base); }
.segment small { color: var(--muted); text-transform: uppercase; letter-spacing: .05em; font-size: .7rem; }
.segment div { white-space: pre-wrap; overflow-wrap: anywhere; font: .86rem/1.5 ui-monospace, Menlo, monospace; }
.hint {
  position: fixed; z-index: 9; max-width: 380px; white-space: pre-line; pointer-events: none; font-size: .84rem;
  background: var(--ink); color: var(--page); padding: 8px 12px; border-radius: 8px; line-height: 1.4;
}
.hint[hidden] { display: none; }
[data-hint] { cursor: help; }
@media print { main { max-width: none; } details { display: none; } }
`;
