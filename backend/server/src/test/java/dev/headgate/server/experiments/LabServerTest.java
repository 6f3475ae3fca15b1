package dev.headgate.server.experiments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.spi.InvalidParametersException;
import dev.headgate.spi.Limits;
import dev.headgate.spi.Parameters;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PolicyFactory;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LabServerTest {

    private static final Policy POLICY = view -> Limits.unbounded();

    private static Policy made(Function<Parameters, Policy> creates) {
        PolicyFactory factory = new PolicyFactory() {
            @Override
            public String id() {
                return "odd";
            }

            @Override
            public String description() {
                return "of a test";
            }

            @Override
            public String parameterSchema() {
                return "{}";
            }

            @Override
            public Policy create(Parameters parameters) {
                return creates.apply(parameters);
            }
        };
        return LabServer.made("odd", factory, Parameters.of(Map.of()));
    }

    @Test
    void aPolicyIsMadeOnAnotherThreadThanTheRuns() {
        Thread[] maker = new Thread[1];
        assertThat(made(parameters -> {
                    maker[0] = Thread.currentThread();
                    return POLICY;
                }))
                .isSameAs(POLICY);
        assertThat(maker[0]).isNotSameAs(Thread.currentThread());
    }

    private static Policy never(Parameters parameters) {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return POLICY;
    }

    @Test
    void aPluginThatBlocksFailsTheRun() {
        assertThatThrownBy(() -> made(LabServerTest::never))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the plugin odd made no policy within 1000 ms");
    }

    @Test
    void whatAPluginThrowsIsToldAndWhatItRefusesIsItsOwnWord() {
        assertThatThrownBy(() -> made(parameters -> {
                    throw new NoClassDefFoundError("Gone");
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the plugin odd made no policy: java.lang.NoClassDefFoundError: Gone");
        assertThatThrownBy(() -> made(parameters -> {
                    throw InvalidParametersException.of("max", "is missing");
                }))
                .isInstanceOf(InvalidParametersException.class)
                .hasMessage("max is missing");
    }

    @Test
    void aRunThatIsCancelledMeanwhileIsCancelled() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> made(LabServerTest::never)).isInstanceOf(CancellationException.class);
        assertThat(Thread.interrupted()).isTrue();
    }
}
