package dev.headgate.server.access;

import dev.headgate.engine.Shortened;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.wire.AddressBlock;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.stereotype.Component;

/**
 * Counts invalid tokens, sessions, login codes and passwords by address, and refuses an address that fails too often. A valid token is never
 * refused, because a script with an old one must not lock out everybody behind the same address. Passwords can be guessed, so
 * whoever checks one asks first whether the address is slowed down. Safe for any thread; does not block.
 */
@Component
final class FailedLogins {

    private static final Logger log = LoggerFactory.getLogger(FailedLogins.class);

    static final int MOST_IN_A_WINDOW = 10;
    private static final Duration WINDOW = Duration.ofMinutes(1);

    /** Of all addresses within a minute that are told: each is an entry that stays. The metric counts all. */
    static final int MOST_TOLD = 60;

    private static final Set<String> PASSWORDS = Set.of("password", "wire");

    /** The most callers that are remembered. The oldest is dropped first. */
    private static final int MOST_CALLERS = 10_000;

    /** An audit entry has no more of a name that a stranger has made up. */
    private static final int LONGEST_NAME = 63;

    private final Clock clock;
    private final ApplicationEventPublisher events;
    private final Map<String, Counter> counters;
    private final Map<Caller, Failures> byCaller = new LinkedHashMap<>();

    /** The first failures of addresses that were told in the running minute. Guarded by the map, like the next. */
    private Failures told = Failures.NONE;

    private long untold;

    /** Callers of an address that show passwords of clients, or anything else: a script with an old token slows no application down. */
    private record Caller(String address, boolean withPasswords) {
        Caller {
            address = AddressBlock.of(address);
        }
    }

    /** Within the minute that began then. */
    private record Failures(Instant since, int count) {

        private static final Failures NONE = new Failures(Instant.MIN, 0);

        /** With one more, which begins another minute if this one is over. Counts one further than {@code most}. */
        Failures plusOne(Instant now, int most) {
            return now.isBefore(since.plus(WINDOW))
                    ? new Failures(since, Math.min(count + 1, most + 1))
                    : new Failures(now, 1);
        }
    }

    FailedLogins(ApplicationEventPublisher events, MeterRegistry meters, Clock clock) {
        this.events = events;
        this.clock = clock;
        this.counters = Stream.of("token", "session", "code", "password", "wire")
                .collect(Collectors.toUnmodifiableMap(Function.identity(), shown -> counter(meters, shown)));
    }

    private static Counter counter(MeterRegistry meters, String shown) {
        return Counter.builder("headgate.access.failures")
                .description(
                        "Requests and logins with a token, a session, a login code or a password that is not valid")
                .tag("shown", shown)
                .register(meters);
    }

    /**
     * Records a failure.
     *
     * @param shown "token", "session", "code", or the password of a client: "password" over HTTP, "wire" at the wire port
     * @return a refusal (429, with the time to wait) if the address has failed too often within a minute
     */
    Optional<ProblemException> failed(String address, String shown) {
        return failed(address, shown, null);
    }

    /** The same, of a client of a domain. */
    Optional<ProblemException> failed(String address, String shown, String domain, String user) {
        return failed(address, shown, cut(domain) + "/" + cut(user));
    }

    private static String cut(String name) {
        return Shortened.to(LONGEST_NAME, name);
    }

    private Optional<ProblemException> failed(String address, String shown, @Nullable String client) {
        Objects.requireNonNull(counters.get(shown)).increment();
        Instant now = clock.instant();
        Failures failures = counted(new Caller(address, PASSWORDS.contains(shown)), now);
        if (failures.count() == 1 && isTold(now)) {
            events.publishEvent(new LoginFailed(now, address, shown, client));
        }
        return failures.count() <= MOST_IN_A_WINDOW
                ? Optional.empty()
                : Optional.of(ProblemException.retry(
                        ProblemType.TOO_MANY_REQUESTS,
                        "Too many logins from " + address
                                + " have failed within a minute."
                                + (PASSWORDS.contains(shown) ? "" : " The token is in admin-token of the data folder."),
                        Duration.between(now, failures.since().plus(WINDOW))));
    }

    private boolean isTold(Instant now) {
        synchronized (byCaller) {
            told = told.plusOne(now, MOST_TOLD);
            if (told.count() > MOST_TOLD) {
                untold++;
                if (Long.bitCount(untold) == 1) { // seldom, however many there are
                    log.warn(
                            "{} failed logins of further addresses were not audited: more than {} addresses failed within a minute",
                            untold,
                            MOST_TOLD);
                }
                return false;
            }
            return true;
        }
    }

    /** Whether so many passwords from an address were wrong within a minute that it may not try one more now. */
    boolean isSlowed(String address) {
        synchronized (byCaller) {
            Failures failures = byCaller.getOrDefault(new Caller(address, true), Failures.NONE);
            return failures.plusOne(clock.instant(), MOST_IN_A_WINDOW).count() > MOST_IN_A_WINDOW;
        }
    }

    private Failures counted(Caller caller, Instant now) {
        synchronized (byCaller) {
            Failures failures = byCaller.getOrDefault(caller, Failures.NONE).plusOne(now, MOST_IN_A_WINDOW);
            if (failures.count() == 1) {
                byCaller.remove(caller); // goes to the end
            }
            byCaller.put(caller, failures);
            if (byCaller.size() > MOST_CALLERS) {
                byCaller.remove(byCaller.keySet().iterator().next());
            }
            return failures;
        }
    }
}
