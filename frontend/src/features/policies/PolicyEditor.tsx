import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useMemo, useState } from "react";
import { planQuery, policySetQuery, type Scope, usePlugins, usePutPolicySet, useRestore } from "@/api/policies";
import { below, Problem, sentence, violationAt } from "@/api/problem";
import { usePrediction, usePutShadow } from "@/api/rehearsal";
import type { PolicyPlugin, PolicySet, PolicySetRevision, Violation } from "@/api/types";
import { whenText } from "@/format/format";
import { answerAt, answerText, bindingAnswer } from "@/policy/answer";
import { answersAs, ofDatabase } from "@/policy/attribution";
import { setPrediction } from "@/policy/predictions";
import { cappedStatistics, capsOf } from "@/policy/summary";
import { serverNow } from "@/stream/browser";
import { useLive, usePool } from "@/stream/hooks";
import type { Standing } from "@/stream/schemas";
import { Confirm, type Question } from "@/ui/Confirm";
import { Help } from "@/ui/Help";
import { Drawer } from "@/ui/layers";
import { loadCode } from "@/ui/loadCode";
import { Fault, Seg } from "@/ui/parts";
import { useZone } from "@/ui/preferences";
import { useMayChange } from "@/ui/role";
import { ConflictView } from "./Conflict";
import {
  bare,
  type Draft,
  isEdited,
  isStale,
  placeOf,
  pluginOf,
  presets,
  sameSet,
  subjectOf,
  unreadableIn,
} from "./draft";
import { putBeside, putInForce, setDraft, useDraft } from "./draftStore";
import { Faults } from "./Faults";
import { GuardFields } from "./GuardFields";
import { guardFault, guardTerms, NO_GUARD } from "./guard";
import { HistoryDrawer } from "./History";
import { LoadingPolicySet } from "./Loading";
import { KeptDraft, ManagedNote, ReaderNote } from "./Managed";
import { PlanView } from "./PlanView";
import { planSentence } from "./planSentence";
import { ReplayDrawer } from "./Replay";
import { SchemaForm } from "./SchemaForm";
import { ShadowView } from "./Shadow";
import { useQuestion } from "./useQuestion";
import { useShadowQuestion } from "./useShadowQuestion";
import { WhenExhaustedFields } from "./WhenExhausted";

/** Its charts are code that the editor does without. */
const FindSize = lazy(() => loadCode(() => import("./FindSize")).then(({ FindSize }) => ({ default: FindSize })));
/** It reads and writes YAML, which the form does without. */
const YamlEditor = lazy(() =>
  loadCode(() => import("./YamlEditor")).then(({ YamlEditor }) => ({ default: YamlEditor })),
);

const ABOUT = `Shadow runs a draft beside the live set, on live inputs. It decides nothing; the decision log shows where it would have differed.
Replay repeats the recorded load under this set.
Find my size tries sizes on the live load, and proposes a set.
History shows earlier revisions and restores them.`;

/** Edits the policy set of a domain or a database, beside its charts. */
export function PolicyEditor({ scope }: { scope: Scope }) {
  const current = useQuery(policySetQuery(scope));
  if (current.isError && !current.data) return <Fault error={current.error} retry={() => void current.refetch()} />;
  if (!current.data) return <LoadingPolicySet />;
  return <Editor key={`${scope.kind}/${scope.name}`} scope={scope} current={current.data} />;
}

function Editor({ scope, current }: { scope: Scope; current: PolicySetRevision }) {
  const zone = useZone();
  const managed = current.managedBy !== null;
  const mayChange = useMayChange();
  const readOnly = managed || !mayChange;
  const kept = useDraft(scope);
  const { comment = "", unread = null, guard: keptGuard } = (readOnly ? null : kept) ?? {};
  const guard = { ...NO_GUARD, ...keptGuard }; // an earlier version may have kept it, with fewer bounds
  const draft = !readOnly && kept && (unread || isEdited(kept)) ? kept : null;
  const plugins = usePlugins();
  const put = usePutPolicySet(scope, (sent, taken) => putInForce(scope, sent, taken));
  const [mode, setMode] = useState<"form" | "yaml">("form");
  const [history, setHistory] = useState(false);
  const [replay, setReplay] = useState(false);
  const [sizing, setSizing] = useState(false);
  const shadow = usePutShadow(scope.name, (sent) => putBeside(scope, sent));
  const questionBeforeShadow = useShadowQuestion(scope.name, shadow.data);
  /** The newest revision that was put in force here, and the one before it. */
  const [applied, setApplied] = useState<{ revision: number; former: PolicySetRevision } | null>(null);
  const took = ({ revision }: PolicySetRevision) => setApplied({ revision, former: current });
  const undo = useRestore(scope);
  const questionBefore = useQuestion(scope);
  const [asking, setAsking] = useState(false);
  const [asked, setAsked] = useState<{ question: Question; act: () => void } | null>(null);
  /** The draft before what was done to it last as a whole, to be brought back. */
  const [former, setFormer] = useState<{ draft: Draft | null; said: string } | null>(null);

  const base = draft?.base ?? current.policySet;
  const set = draft?.set ?? current.policySet;
  const baseRevision = draft?.baseRevision ?? current.revision;
  const dirty = !sameSet(base, set);
  // The stream may tell of what is being applied before its answer comes: that is nobody else's change.
  const stale = draft !== null && !put.isPending && isStale(draft, current);

  const unreadable = unreadableIn(set);
  const isSendable = (next: PolicySet) => !sameSet(next, base) && unreadableIn(next).length === 0;
  const [settled] = useDebouncedValue(set, 300);
  const plan = useQuery({
    ...planQuery(scope, dirty && !stale && isSendable(settled) ? bare(settled) : null, baseRevision),
    placeholderData: (previous) => previous,
  });
  const [resting] = useDebouncedValue(settled, 700); // a replay is too much work for every keystroke
  const predictable = dirty && !stale && plan.data !== undefined && plan.data.violations.length === 0;
  const prediction = usePrediction(scope, predictable && isSendable(resting) ? bare(resting) : null, baseRevision);
  const isPlanned = sameSet(settled, set) && !plan.isPlaceholderData;
  const isPredicted = sameSet(resting, set);
  const predicted = predictable && isPredicted ? (prediction.data ?? null) : null;
  useEffect(() => {
    if (scope.kind !== "domain") return;
    setPrediction(scope.name, predicted && { result: predicted, caps: capsOf(set) });
    return () => setPrediction(scope.name, null);
  }, [scope.kind, scope.name, predicted, set]);
  const statistics = useMemo(() => cappedStatistics(...capsOf(set), ...capsOf(base)), [set, base]);
  const isAwaited = !isPlanned || plan.isPending;
  const planned = isAwaited ? "Plans the draft…" : planSentence(plan.data, predicted?.domains[0], statistics);
  const refusal = put.error instanceof Problem ? put.error : null;
  const planFaults = unreadable.length > 0 ? unreadable : (plan.data?.violations ?? []);
  const faults = dirty && !stale ? planFaults : [];
  const violations = refusal?.status === 422 ? refusal.violations : faults;
  const toForm = () => setMode("form");

  const keep = (change: Partial<Draft>) => {
    setFormer(null);
    setDraft(scope, { baseRevision, base, set, comment, guard, unread, ...change });
  };
  const update = (next: PolicySet, why = comment) => {
    put.reset();
    undo.reset();
    setApplied(null);
    keep({ set: bare(next), unread: null, comment: why });
  };
  /** Does something to the draft as a whole, and offers to undo it. */
  const undoably = (said: string, act: () => void) => {
    act();
    setFormer({ draft: kept, said });
  };
  const discard = () =>
    undoably("The draft is discarded.", () => {
      put.reset();
      setDraft(scope, null);
    });
  const take = (taken: PolicySet, why?: string) => {
    if (draft) undoably("It took the place of your draft.", () => update(taken, why));
    else update(taken, why);
  };
  const remove = (index: number) =>
    undoably(`${subjectOf(set, index)} is removed from the draft.`, () =>
      update({ ...set, policies: set.policies.filter((_, i) => i !== index) }),
    );
  const updatePolicy = (index: number, parameters: Record<string, unknown>) =>
    update({ ...set, policies: set.policies.map((use, i) => (i === index ? { ...use, parameters } : use)) });

  const ask = async (next: PolicySet, restores: number | undefined, act: () => void) => {
    setAsking(true);
    const question = await questionBefore(next, current, { restores });
    setAsking(false);
    if (question) setAsked({ question, act });
    else act();
  };
  const takeBack = ({ revision, former }: NonNullable<typeof applied>) =>
    undo.mutate(
      { revision: former.revision, current: revision },
      { onSuccess: took, onSettled: () => setAsked(null) }, // the foot says what is wrong
    );
  const send = (set: PolicySet) =>
    put.mutate(
      {
        body: { ...bare(set), ...(comment.trim() ? { comment: comment.trim() } : {}) },
        revision: baseRevision,
        guard: guardTerms(guard),
      },
      {
        onSuccess: (taken) => {
          setFormer(null);
          took(taken);
        },
        onSettled: () => setAsked(null), // the foot says what is wrong
      },
    );
  const beginShadow = () =>
    shadow.mutate(bare(set), { onSuccess: () => setFormer(null), onSettled: () => setAsked(null) });
  const askShadow = async () => {
    setAsking(true);
    const question = await questionBeforeShadow("replace");
    setAsking(false);
    if (question) setAsked({ question, act: beginShadow });
    else beginShadow();
  };
  const guardProblem = guardFault(guard);
  const blocked = violations.length > 0 || stale || put.isPending || guardProblem !== null || unread !== null;

  return (
    <aside className="panel policy" aria-label={`Policy of ${scope.name}`}>
      <header>
        <h2>Policy</h2>
        <span className="chip" data-testid="revision">
          {current.revision === 0 ? "none yet" : `rev ${current.revision} · live`}
        </span>
        <span className="grow" />
        <Seg
          label="Edit as"
          value={mode}
          onChange={setMode}
          options={[
            ["form", "Form"],
            ["yaml", "YAML"],
          ]}
        />
      </header>
      <div className="policy-body">
        {!mayChange ? <ReaderNote /> : managed && <ManagedNote scope={scope} current={current} />}
        {readOnly && kept && isEdited(kept) && <KeptDraft draft={kept} onDiscard={discard} />}
        {current.guard && (
          <p className="note warn small" style={{ margin: "12px 16px 0" }} data-testid="guard">
            {current.guard.atEnd === "restore" ? "On trial" : "On probation"} until{" "}
            {whenText(current.guard.until, zone, serverNow())}: rev {current.guard.restores} is restored
            {current.guard.atEnd === "restore" ? " then, or earlier" : ""} if a bound is exceeded
            {current.guard.atEnd === "restore-unjudged" ? ", or could not be judged by then" : ""}.
          </p>
        )}
        {current.unjudged && (
          <p className="note warn small" style={{ margin: "12px 16px 0" }} data-testid="unjudged" role="status">
            The probation of rev {current.revision} ended without a judgement, and the set stays. {current.unjudged}
          </p>
        )}
        {current.actor === "guard" && current.restoredFrom !== null && (
          <p className="note warn small" style={{ margin: "12px 16px 0" }} data-testid="taken-back" role="status">
            The guard took rev {current.revision - 1} back: rev {current.restoredFrom} is in force again, as rev{" "}
            {current.revision}. {current.comment}
          </p>
        )}
        {scope.kind === "domain" && <ShadowView domain={scope.name} mine={shadow.data} onTake={take} />}
        {stale && draft && (
          <ConflictView
            name={scope.name}
            draft={draft}
            current={current}
            onDiscard={discard}
            onRebase={(rebased) => {
              put.reset();
              keep({ baseRevision: current.revision, base: current.policySet, set: rebased, unread: null });
            }}
          />
        )}
        {mode === "yaml" ? (
          <Suspense fallback={<p className="pol muted">Loading…</p>}>
            <YamlEditor
              set={set}
              unread={unread}
              readOnly={readOnly}
              onChange={update}
              onUnread={(unread) => keep({ unread })}
            />
          </Suspense>
        ) : (
          <fieldset disabled={readOnly || unread !== null}>
            {set.policies.length === 0 && (
              <p className="pol muted">
                This policy set is empty.{" "}
                {scope.kind === "domain"
                  ? "Only the database's budget and policy set limit this pool."
                  : "Only the budget and the domains' own policy sets limit the pools."}
              </p>
            )}
            {set.policies.map((_, index) => (
              <PolicyForm
                key={subjectOf(set, index)}
                scope={scope}
                set={set}
                base={base}
                index={index}
                plugin={pluginOf(plugins.data ?? [], set.policies[index])}
                violations={below(violations, `/policies/${index}`)}
                onChange={(parameters) => updatePolicy(index, parameters)}
                onRemove={() => remove(index)}
              />
            ))}
            <AddPolicy
              plugins={readOnly ? [] : (plugins.data ?? [])}
              used={set.policies.map((p) => p.plugin)}
              onAdd={(plugin) =>
                update({
                  ...set,
                  policies: [...set.policies, { plugin: plugin.id, parameters: presets(plugin.parameterSchema) }],
                })
              }
            />
            {(scope.kind === "domain" || set.whenExhausted) && (
              <WhenExhaustedFields
                value={set.whenExhausted}
                base={base.whenExhausted}
                faultAt={(pointer) => violationAt(violations, `/whenExhausted${pointer}`)}
                onChange={(whenExhausted) => update({ ...set, whenExhausted })}
              />
            )}
          </fieldset>
        )}
        {dirty && !stale && (
          <PlanView
            base={base}
            set={set}
            plan={plan}
            isPlanned={isPlanned}
            prediction={prediction}
            isPredicted={isPredicted}
            statistics={statistics}
            onForm={toForm}
          />
        )}
      </div>
      <div className="policy-terms">
        {unread && (
          <div className="note bad small row">
            <span className="grow" role="alert">
              The YAML text is not a policy set. Correct it, or give it up, before you apply the draft.
            </span>
            <button
              type="button"
              className="btn small"
              onClick={() => undoably("The text is given up.", () => keep({ unread: null }))}
            >
              Give the text up
            </button>
          </div>
        )}
        {shadow.isError && <Fault error={shadow.error} />}
        {dirty && !stale && (
          <span className="inp">
            <input
              aria-label="Why, for the history"
              placeholder="Why, for the history (optional)"
              value={comment}
              onChange={(event) => keep({ comment: event.target.value })}
            />
          </span>
        )}
        {dirty && !stale && <GuardFields value={guard} fault={guardProblem} onChange={(guard) => keep({ guard })} />}
      </div>
      <footer className={dirty ? "policy-foot drafted" : "policy-foot"}>
        {put.isError && !(stale && refusal?.status === 412) && (
          <p className="note bad small" role="alert">
            {refusal && refusal.violations.length > 0 ? (
              <>
                Not applied: <Faults set={set} violations={refusal.violations} onForm={toForm} />
              </>
            ) : (
              sentence(put.error)
            )}{" "}
            Your draft is kept.
          </p>
        )}
        {applied?.revision === current.revision && !dirty && (
          <div className="note good small row">
            <span className="grow" role="status">
              rev {applied.revision} is in force.
            </span>
            {applied.former.revision > 0 && (
              <button
                type="button"
                className="btn small"
                disabled={undo.isPending || asking}
                onClick={() => void ask(applied.former.policySet, applied.former.revision, () => takeBack(applied))}
              >
                Undo
              </button>
            )}
          </div>
        )}
        {undo.isError && <Fault error={undo.error} />}
        {stale && (
          <div className="note warn small row">
            <span className="grow">rev {current.revision} took effect while you were editing.</span>
            <button type="button" className="btn small" onClick={({ currentTarget }) => toConflict(currentTarget)}>
              See both changes
            </button>
          </div>
        )}
        {faults.length > 0 && (
          <p className="small note bad" role="status" data-testid="plan-sentence">
            Cannot be applied: <Faults set={set} violations={faults} most={1} onForm={toForm} />
          </p>
        )}
        {former && (
          <div className="note small row">
            <span className="grow" role="status">
              {former.said}
            </span>
            <button
              type="button"
              className="btn small"
              onClick={() => {
                setDraft(scope, former.draft);
                setFormer(null);
              }}
            >
              Undo
            </button>
          </div>
        )}
        {dirty && !stale && faults.length === 0 && planned && (
          <p className="small muted" role="status" data-testid="plan-sentence">
            {planned}
          </p>
        )}
        {!readOnly && (
          <div className="row wrap">
            <button
              type="button"
              className="btn pri"
              disabled={!dirty || blocked || asking}
              onClick={() => void ask(set, undefined, () => send(set))}
            >
              {put.isPending ? "Applying…" : dirty ? `Apply as rev ${baseRevision + 1}` : "No changes"}
            </button>
            {dirty && !stale && (
              <button type="button" className="btn" onClick={discard}>
                Discard
              </button>
            )}
          </div>
        )}
      </footer>
      <div className="policy-more">
        {dirty && !blocked && scope.kind === "domain" && (
          <button type="button" className="btn" disabled={shadow.isPending || asking} onClick={() => void askShadow()}>
            Shadow
          </button>
        )}
        {mayChange && !stale && unread === null && violations.length === 0 && (
          <button type="button" className="btn" onClick={() => setReplay(true)}>
            Replay
          </button>
        )}
        {scope.kind === "domain" && (
          <button type="button" className="btn" onClick={() => setSizing(true)}>
            Find my size
          </button>
        )}
        <button type="button" className="btn" onClick={() => setHistory(true)}>
          History
        </button>
        {mayChange && <Help label="About these buttons" text={ABOUT} />}
      </div>
      <Confirm
        question={asked?.question ?? null}
        busy={put.isPending || undo.isPending || shadow.isPending}
        onConfirm={() => asked?.act()}
        onClose={() => setAsked(null)}
      />
      <ReplayDrawer scope={scope} set={bare(set)} current={current} opened={replay} onClose={() => setReplay(false)} />
      {scope.kind === "domain" && (
        <Drawer
          opened={sizing}
          onClose={() => setSizing(false)}
          position="right"
          size={560}
          title={`Find the size of ${scope.name}`}
        >
          <Suspense fallback={<p className="muted">Loading…</p>}>
            <FindSize
              domain={scope.name}
              revision={current.revision}
              onTake={
                readOnly
                  ? undefined
                  : (found) => {
                      take(found, found.comment ?? ""); // the reason of the revision
                      setSizing(false);
                    }
              }
            />
          </Suspense>
        </Drawer>
      )}
      <HistoryDrawer
        scope={scope}
        current={current}
        opened={history}
        onClose={() => setHistory(false)}
        onRestored={took}
      />
    </aside>
  );
}

/** The conflict stands above the form, mostly out of sight. */
function toConflict(from: Element): void {
  from.closest(".policy")?.querySelector<HTMLElement>("[data-testid=conflict] button")?.focus();
}

/** The domain whose pool tells which of the set's policies limits it: of a database, one that they limit, or else any. */
function limitedDomain({ kind, name }: Scope, pools: readonly Standing[]): string {
  if (kind === "domain") return name;
  const own = pools.filter(({ database }) => database === name);
  return (own.find(({ limit }) => ofDatabase(limit.policy ?? "")) ?? own[0])?.domain ?? "";
}

type PolicyFormProps = {
  scope: Scope;
  set: PolicySet;
  base: PolicySet;
  index: number;
  plugin: PolicyPlugin | undefined;
  /** Pointers are relative to this policy. */
  violations: readonly Violation[];
  onChange: (parameters: Record<string, unknown>) => void;
  onRemove: () => void;
};

function PolicyForm({ scope, set, base, index, plugin, violations, onChange, onRemove }: PolicyFormProps) {
  const pool = usePool(useLive((store) => limitedDomain(scope, store.pools())));
  const database = useLive((store) =>
    store.databases().find(({ name }) => scope.kind === "database" && name === scope.name),
  );
  const use = set.policies[index];
  if (!use) return null;
  const subject = subjectOf(set, index);
  const at = base.policies.findIndex((_, i) => subjectOf(base, i) === subject);
  const policy = answersAs(use.plugin, scope.kind);
  const answers = (scope.kind === "database" ? database?.answers : pool?.answers) ?? [];
  const answer = answerAt(answers, policy, placeOf(set, index));
  const binds = pool?.limit.policy === policy && bindingAnswer(answers, pool.limit) === answer;
  const isNew = at < 0;
  const pluginFault = violationAt(violations, "/plugin");
  return (
    <section className="pol" aria-label={subject} data-testid={`policy-${use.plugin}`}>
      <div className="row pol-head">
        <h3>{use.plugin}</h3>
        {use.version && <span className="muted small">version {use.version}</span>}
        {isNew && <span className="chip acc">new</span>}
        {pool && binds && (
          <span className={`chip ${pool.limit.holdsBack ? "warn" : ""}`}>
            {pool.limit.holdsBack ? "binding" : "would bind first"}
          </span>
        )}
        <span className="row pol-answer">
          {answer && <span className="muted">answers {answerText(answer)}</span>}
          <button
            type="button"
            className="bare"
            style={{ margin: 0 }}
            onClick={onRemove}
            aria-label={`Remove ${subject}`}
            title="Remove"
          >
            ✕
          </button>
        </span>
      </div>
      {plugin ? (
        <SchemaForm
          id={`p${index}`}
          schema={plugin.parameterSchema}
          value={use.parameters ?? {}}
          base={isNew ? undefined : (base.policies[at]?.parameters ?? {})}
          violations={below(violations, "/parameters")}
          onChange={onChange}
        />
      ) : (
        <p className="muted small">This plugin is not installed. Switch to YAML to see its parameters.</p>
      )}
      {pluginFault && (
        <p className="small" style={{ color: "var(--bad)" }} role="alert">
          {pluginFault}
        </p>
      )}
      {answer?.reason && <p className="muted small reason">{answer.reason}</p>}
    </section>
  );
}

function AddPolicy({
  plugins,
  used,
  onAdd,
}: {
  plugins: readonly PolicyPlugin[];
  used: readonly string[];
  onAdd: (plugin: PolicyPlugin) => void;
}) {
  const free = plugins.filter((p) => p.newest && !used.includes(p.id));
  if (free.length === 0) return null;
  return (
    <div className="pol add">
      {free.map((plugin) => (
        <button key={plugin.id} type="button" className="btn small" onClick={() => onAdd(plugin)}>
          + {plugin.id}
        </button>
      ))}
      <Help
        label="About these policies"
        text={free.map(({ id, description }) => `${id}: ${description ?? "no description"}`).join("\n")}
      />
    </div>
  );
}
