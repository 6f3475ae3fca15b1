package dev.headgate.server.startup;

import dev.headgate.server.Headgate;
import dev.headgate.server.store.EmbeddedServer;
import dev.headgate.wire.ThreadDump;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.context.event.ApplicationPreparedEvent;
import org.springframework.context.ApplicationListener;

/**
 * Ends a process that does not stop in time. Eight seconds after the JVM's shutdown began it logs the stack of every
 * thread, tells the embedded PostgreSQL to stop, and halts the JVM with the exit code of SIGTERM. It calls nothing else in
 * the service, where any lock may be held, and every wait has a bound.
 *
 * <p>Only the service's own process installs it, not a test that starts services.
 */
public final class StopDeadline implements ApplicationListener<ApplicationPreparedEvent> {

    private static final Duration PATIENCE = Duration.ofSeconds(8);

    /** The time for logging, which may hang too. */
    private static final Duration LOG_PATIENCE = Duration.ofMillis(800);

    /** 128 + the number of the signal. */
    private static final int TERMINATED = 143;

    private static final Logger log = LoggerFactory.getLogger(StopDeadline.class);

    private final AtomicReference<@Nullable EmbeddedServer> embedded = new AtomicReference<>();

    @Override
    public void onApplicationEvent(ApplicationPreparedEvent event) {
        if (!Headgate.class.equals(event.getSpringApplication().getMainApplicationClass())) {
            return;
        }
        event.getApplicationContext().getBeanFactory().addBeanPostProcessor(new BeanPostProcessor() {
            @Override
            public Object postProcessAfterInitialization(Object bean, String name) {
                if (bean instanceof EmbeddedServer server) {
                    embedded.set(server);
                }
                return bean;
            }
        });
        // The JVM waits for its hooks and not for a daemon, so a clean stop is as quick as it can be.
        Runtime.getRuntime().addShutdownHook(new Thread(this::begin, "stop-deadline"));
    }

    private void begin() {
        Thread.ofPlatform().daemon().name("stop-deadline").start(() -> {
            try {
                Thread.sleep(PATIENCE);
                Thread last = Thread.ofPlatform().daemon().name("last-words").start(StopDeadline::say);
                last.join(LOG_PATIENCE);
                EmbeddedServer server = embedded.get();
                if (server != null) {
                    server.signalStop();
                }
            } catch (InterruptedException e) {
                // nobody interrupts it; the process ends in any case
            } finally {
                Runtime.getRuntime().halt(TERMINATED);
            }
        });
    }

    private static void say() {
        log.error(
                "Headgate has not stopped within {} s and is halted. Platform threads:\n{}",
                PATIENCE.toSeconds(),
                ThreadDump.ofPlatformThreads());
        log.error("Virtual threads:\n{}", ThreadDump.ofVirtualThreads());
    }
}
