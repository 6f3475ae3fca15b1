package dev.headgate.server.rehearsals;

import dev.headgate.engine.Database;
import dev.headgate.engine.Engine;
import dev.headgate.engine.Pool;
import dev.headgate.engine.governor.Answer;
import dev.headgate.engine.governor.PolicySet;
import dev.headgate.engine.governor.PoolStatus;
import dev.headgate.server.api.AnswerJson;
import dev.headgate.server.api.Scope;
import dev.headgate.server.limits.Progress;
import dev.headgate.server.policies.Diff;
import dev.headgate.server.policies.Draft;
import dev.headgate.server.policies.EngineAnswer;
import dev.headgate.server.policies.Policies;
import dev.headgate.server.policies.PolicySetRequest;
import dev.headgate.server.policies.PolicySetRevision;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.spi.Limits;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;
import tools.jackson.databind.json.JsonMapper;

/** Predicts what a policy set would change. Changes nothing. */
@Service
class Plans {

    private static final long PLAN_BYTES = 256 << 10;

    private final Policies policies;
    private final Replays replays;
    private final Engine engine;
    private final JsonMapper json;

    Plans(Policies policies, Replays replays, Engine engine, JsonMapper json) {
        this.policies = policies;
        this.replays = replays;
        this.engine = engine;
        this.json = json;
    }

    /**
     * Blocks while the engine asks the set, and while the last seconds are replayed.
     *
     * @param predict whether to predict its effect on the last seconds' load
     * @param progress receives the progress of the prediction
     * @throws ProblemException not-found if there is no such domain or database
     */
    Plan plan(Scope scope, PolicySetRequest set, boolean predict, Progress progress) {
        PolicySetRevision before = policies.current(scope);
        Draft draft = policies.draft(scope, set);
        // after a step: what is in force has answered by then, too
        Plan.@Nullable PlannedLimits planned =
                draft.isValid() ? planned(scope, draft.build(before.revision() + 1)) : null;
        return new Plan(
                before.revision(),
                Diff.between(
                        before.policySet().withoutComment(), draft.request().withoutComment(), json),
                draft.faults(),
                now(scope),
                planned,
                draft.warnings(),
                predict ? replays.predict(scope, draft, progress::at).orElse(null) : null);
    }

    /** An estimate of a plan's memory. */
    long bytes(Scope scope, boolean predict) {
        return PLAN_BYTES + (predict ? replays.predictionBytes(scope) : 0);
    }

    private Plan.PlannedLimits planned(Scope scope, PolicySet candidate) {
        CompletionStage<List<Answer>> asked = switch (scope.kind()) {
            case DOMAIN -> pool(scope.name()).ask(candidate);
            case DATABASE -> database(scope.name()).ask(candidate);
        };
        return limits(EngineAnswer.of(asked), budget(scope));
    }

    private Plan.PlannedLimits now(Scope scope) {
        return switch (scope.kind()) {
            case DOMAIN -> {
                PoolStatus status = pool(scope.name()).status();
                yield Plan.PlannedLimits.of(
                        status.floor(), status.ceiling(), status.budget(), AnswerJson.all(status.answers()));
            }
            case DATABASE -> limits(database(scope.name()).status().answers(), budget(scope));
        };
    }

    private static Plan.PlannedLimits limits(List<Answer> answers, int budget) {
        Limits combined = answers.stream().map(Answer::limits).reduce(Limits.unbounded(), Limits::and);
        return Plan.PlannedLimits.of(combined, budget, AnswerJson.all(answers));
    }

    private int budget(Scope scope) {
        Database database = switch (scope.kind()) {
            case DOMAIN -> pool(scope.name()).database();
            case DATABASE -> database(scope.name());
        };
        return database.target().budget();
    }

    private Database database(String name) {
        return engine.database(name).orElseThrow(() -> ProblemException.notFound("database", name));
    }

    private Pool pool(String domain) {
        return engine.pool(domain).orElseThrow(() -> ProblemException.notFound("domain", domain));
    }
}
