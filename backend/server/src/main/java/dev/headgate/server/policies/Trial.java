package dev.headgate.server.policies;

import dev.headgate.server.plugins.PluginCall;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.spi.DatabaseView;
import dev.headgate.spi.InvalidParametersException;
import dev.headgate.spi.Latency;
import dev.headgate.spi.Limits;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PoolView;
import dev.headgate.spi.Tier;
import dev.headgate.spi.Window;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Asks a policy for its answer to an empty pool, for a check of its set. The policy is created for the trial and closed afterwards.
 * All of it runs on threads that may be abandoned, so a policy that blocks delays only its own check.
 *
 * @param limits its answer
 * @param adaptive whether it learns from measurements, so that later answers may differ
 */
record Trial(Limits limits, boolean adaptive) {

    /** The policy did not answer; the message says why, as the rest of a sentence. */
    static final class FailedException extends Exception {
        private static final long serialVersionUID = 1;

        FailedException(String message) {
            super(message);
        }
    }

    /**
     * @throws InvalidParametersException if the plugin refuses the parameters
     * @throws ProblemException unavailable if the thread is interrupted
     */
    static Trial of(Draft.Part part, String domain, String database, int budget) throws FailedException {
        Policy policy = made(part);
        try {
            Limits limits =
                    PluginCall.within(PluginCall.DEADLINE, () -> policy.limits(emptyPool(domain, database, budget)));
            if (limits == null) {
                throw new FailedException("answers nothing (null) for an empty pool");
            }
            return new Trial(limits, learns(policy));
        } catch (TimeoutException e) {
            throw new FailedException("does not answer within " + PluginCall.DEADLINE.toMillis() + " ms");
        } catch (ExecutionException e) {
            throw new FailedException("fails for an empty pool: " + e.getCause());
        } catch (InterruptedException e) {
            throw interrupted();
        } finally {
            Draft.close(policy);
        }
    }

    private static Policy made(Draft.Part part) throws FailedException {
        try {
            Policy policy =
                    PluginCall.within(PluginCall.DEADLINE, () -> part.factory().create(part.parameters()));
            if (policy == null) {
                throw new FailedException("cannot be made: its factory gives nothing (null)");
            }
            return policy;
        } catch (TimeoutException e) {
            throw new FailedException("cannot be made within " + PluginCall.DEADLINE.toMillis() + " ms");
        } catch (ExecutionException e) {
            if (e.getCause() instanceof InvalidParametersException invalid) {
                if (invalid.faults().isEmpty()) {
                    throw new FailedException("cannot be made: it refuses its parameters and does not say which");
                }
                throw invalid;
            }
            throw new FailedException("cannot be made: " + said(e.getCause()));
        } catch (InterruptedException e) {
            throw interrupted();
        }
    }

    /** What an exception says is meant for people. An error's message is the name of a class that is missing, or nothing. */
    private static String said(@Nullable Throwable cause) {
        return cause instanceof Exception
                        && cause.getMessage() != null
                        && !cause.getMessage().isBlank()
                ? cause.getMessage()
                : String.valueOf(cause);
    }

    /** Whoever asked has gone. That is no fault of the policy. */
    private static ProblemException interrupted() {
        Thread.currentThread().interrupt();
        return ProblemException.of(ProblemType.UNAVAILABLE, "The check of the policy set was interrupted.");
    }

    private static boolean learns(Policy policy) {
        try {
            return policy.getClass().getMethod("observe", Window.class).getDeclaringClass() != Policy.class;
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("every policy has observe", e);
        }
    }

    private static PoolView emptyPool(String domain, String database, int budget) {
        long now = System.nanoTime();
        Window nothing = new Window(now, 0, NONE, NONE, 0, 0, 0, 0, 0, 0, 0, 0, List.of());
        DatabaseView shared =
                new DatabaseView(database, budget, 0, List.of(new DatabaseView.Sibling(domain, Tier.NONE, 0, 0, 0, 0)));
        return new PoolView(domain, 0, Instant.now(), now, 0, 0, 0, 0, 0, nothing, Limits.unbounded(), shared);
    }

    private static final Latency NONE = new Latency() {
        @Override
        public long count() {
            return 0;
        }

        @Override
        public double meanNanos() {
            return 0;
        }

        @Override
        public long minNanos() {
            return 0;
        }

        @Override
        public long maxNanos() {
            return 0;
        }

        @Override
        public long percentileNanos(double percentile) {
            return 0;
        }

        @Override
        public Latency plus(Latency other) {
            return other;
        }
    };
}
