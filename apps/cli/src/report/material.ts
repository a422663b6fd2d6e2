import { latestType, RolloutCompleted } from '@whale/contracts';
import { provisionalResult, showcase, type ExperimentView, type Showcase } from '@whale/experiment-view';
import { AUDIT_TOPICS, AUDIT_TYPES, auditedSessions, type AuditedSession } from '../audit/sessions.ts';
import { readEvents } from '../log/experiments.ts';
import type { OpenData } from '../log/open.ts';
import { LogTail } from '../log/tail.ts';

/** All that the report is made of. */
export interface ReportMaterial {
  view: ExperimentView;
  /** Harness sources by id: h₀ and the best one. */
  sources: ReadonlyMap<string, string>;
  showcase: Showcase | null;
  /** The rollouts of the showcase by id. */
  rollouts: ReadonlyMap<string, RolloutCompleted['data']>;
  /** How each batch of candidates was proposed. */
  sessions: readonly AuditedSession[];
}

/** Gathers what the view does not hold. Trajectories and sources that are gone leave their section out. */
export async function gatherMaterial(view: ExperimentView, open: OpenData): Promise<ReportMaterial> {
  const { base, best } = provisionalResult(view);
  const found = base && best ? showcase(view, base, best) : null;
  const sources = new Map<string, string>();
  for (const id of new Set([base?.harness, best?.harness])) {
    const ref = view.harnesses.find((harness) => harness.id === id)?.ref;
    const bytes = ref && (await open.blobs.get({ uri: ref.uri, sha256: ref.id }).catch(() => null));
    if (ref && bytes) sources.set(ref.id, new TextDecoder().decode(bytes));
  }
  const ids = found ? [found.before.rolloutId, found.after.rolloutId] : [];
  const { experimentId } = view;
  const asked = await readEvents(open, { topics: AUDIT_TOPICS, types: AUDIT_TYPES, experimentId });
  return {
    view,
    sources,
    showcase: found,
    rollouts: await readRollouts(open, new Set(ids)),
    sessions: auditedSessions(asked),
  };
}

async function readRollouts(open: OpenData, ids: ReadonlySet<string>): Promise<Map<string, RolloutCompleted['data']>> {
  const rollouts = new Map<string, RolloutCompleted['data']>();
  if (ids.size === 0) return rollouts;
  const tail = new LogTail({
    ...open,
    topics: ['whale.rollouts.v1'],
    wants: (headers) =>
      latestType(headers['ce_type'] ?? '') === RolloutCompleted.type && ids.has(headers['ce_subject'] ?? ''),
  });
  for (const { event } of await tail.next()) {
    if (event.type === 'whale.rollout.completed.v1') rollouts.set(event.data.rolloutId, event.data);
  }
  return rollouts;
}
