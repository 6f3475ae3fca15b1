package dev.headgate.server.demo;

import dev.headgate.lab.Pace;
import dev.headgate.lab.Workload;
import dev.headgate.lab.pacing.Plan;
import dev.headgate.server.demo.WorkloadPutRequest.WorkloadPhaseRequest;
import dev.headgate.server.problems.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads how often a user's load arrives: at a rate, by users who wait, or either of them in phases. */
final class PaceReader {

    private static final double DEFAULT_RATE = 10;
    private static final long MOST_SECONDS = 86_400;

    private final WorkloadPutRequest request;
    private final List<Fault> faults;

    private PaceReader(WorkloadPutRequest request, List<Fault> faults) {
        this.request = request;
        this.faults = faults;
    }

    /** @param faults receives every fault; the pace is of use only without any */
    static Pace read(WorkloadPutRequest request, List<Fault> faults) {
        PaceReader reader = new PaceReader(request, faults);
        if (request.phases() != null) {
            return reader.phases(request.phases());
        }
        if (request.users() != null) {
            return reader.users(request.users());
        }
        reader.refuse(request.thinkMs(), "/thinkMs", "is for users", "users");
        double rate = Objects.requireNonNullElse(request.ratePerSecond(), DEFAULT_RATE);
        reader.within("/ratePerSecond", rate, Workload.MIN_RATE, Workload.MAX_RATE, "a rate of 0.1 to 5000 per second");
        return new Pace(rate, Objects.requireNonNullElse(request.varies(), false));
    }

    private Pace users(int users) {
        refuse(request.ratePerSecond(), "/ratePerSecond", "stands beside users", "one of them");
        refuse(
                request.varies(),
                "/varies",
                "stands beside users, whose requests follow their answers",
                "ratePerSecond");
        within("/users", users, 1, Workload.MAX_IN_FLIGHT, "1 to 1000 users");
        return faults.isEmpty() ? Pace.ofUsers(users, think()) : new Pace(DEFAULT_RATE, false);
    }

    private Pace phases(List<WorkloadPhaseRequest> requested) {
        refuse(
                request.ratePerSecond(),
                "/ratePerSecond",
                "stands beside phases, each of which has its own load",
                "one of them");
        refuse(request.users(), "/users", "stands beside phases, each of which has its own load", "one of them");
        refuse(request.varies(), "/varies", "stands beside phases", "a ramp");
        boolean closed = requested.getFirst().users() != null;
        if (!closed) {
            refuse(request.thinkMs(), "/thinkMs", "is for users", "users in the phases");
        }
        List<Plan.Phase> phases = new ArrayList<>();
        for (int i = 0; i < requested.size(); i++) {
            phase(requested.get(i), closed, i, "/phases/" + i).ifPresent(phases::add);
        }
        if (requested.getLast().isWarmUp()) {
            faults.add(Fault.at("/phases", "has no phase after its warm-ups", "a phase without warmUp"));
        }
        double seconds =
                requested.stream().mapToDouble(WorkloadPhaseRequest::seconds).sum();
        if (seconds > MOST_SECONDS) {
            faults.add(Fault.at("/phases", "must take at most 86400 s together, take " + seconds, "0.1..86400"));
        }
        if (!faults.isEmpty()) {
            return new Pace(DEFAULT_RATE, false);
        }
        if (phases.stream().allMatch(each -> each.from() == 0 && each.to() == 0)) {
            faults.add(Fault.at("/phases", "has no " + (closed ? "users" : "rate") + " above 0"));
            return new Pace(DEFAULT_RATE, false);
        }
        Plan plan = new Plan(phases);
        return closed ? Pace.ofUsers(plan, think()) : Pace.ofRates(plan);
    }

    private Optional<Plan.Phase> phase(WorkloadPhaseRequest phase, boolean closed, int index, String pointer) {
        int before = faults.size();
        within(pointer + "/seconds", phase.seconds(), 0.1, MOST_SECONDS, "0.1 to 86400 s");
        if (index > 0
                && phase.isWarmUp()
                && !Objects.requireNonNull(request.phases()).get(index - 1).isWarmUp()) {
            faults.add(Fault.at(pointer + "/warmUp", "stands after a phase that counts", "before all of them"));
        }
        Levels rates = Levels.rates(phase);
        Levels users = Levels.users(phase);
        Levels wanted = closed ? users : rates;
        Levels others = closed ? rates : users;
        String unit = closed ? "users" : "rates";
        refuse(others.from(), pointer + others.field(), "stands among phases of " + unit, unit);
        refuse(others.to(), pointer + others.toField(), "stands among phases of " + unit, unit);
        if (wanted.from() == null) {
            faults.add(Fault.at(pointer + wanted.field(), "is missing", "0.." + number(wanted.most())));
            return Optional.empty();
        }
        double from = wanted.from();
        double to = Objects.requireNonNullElse(wanted.to(), from);
        within(pointer + wanted.field(), from, 0, wanted.most(), wanted.allowed());
        if (wanted.to() != null) {
            within(pointer + wanted.toField(), to, 0, wanted.most(), wanted.allowed());
        }
        return faults.size() > before
                ? Optional.empty()
                : Optional.of(new Plan.Phase(
                        from, to, Duration.ofMillis(Math.round(1e3 * phase.seconds())), phase.isWarmUp()));
    }

    /** The levels of a phase in one of the two units. */
    private record Levels(
            String field,
            @Nullable Double from,
            String toField,
            @Nullable Double to,
            double most,
            String allowed) {

        static Levels rates(WorkloadPhaseRequest phase) {
            return new Levels(
                    "/ratePerSecond",
                    phase.ratePerSecond(),
                    "/toRatePerSecond",
                    phase.toRatePerSecond(),
                    Workload.MAX_RATE,
                    "a rate of 0 to 5000 per second");
        }

        static Levels users(WorkloadPhaseRequest phase) {
            return new Levels(
                    "/users",
                    real(phase.users()),
                    "/toUsers",
                    real(phase.toUsers()),
                    Workload.MAX_IN_FLIGHT,
                    "0 to 1000 users");
        }

        private static @Nullable Double real(@Nullable Integer value) {
            return value == null ? null : Double.valueOf(value);
        }
    }

    private Duration think() {
        return Duration.ofNanos(Math.round(1e6 * Objects.requireNonNullElse(request.thinkMs(), 0.0)));
    }

    private void refuse(@Nullable Object value, String pointer, String message, String allowed) {
        if (value != null) {
            faults.add(Fault.at(pointer, message, allowed));
        }
    }

    private void within(String pointer, double value, double least, double most, String what) {
        if (!(value >= least && value <= most)) {
            faults.add(Fault.at(
                    pointer, "must be " + what + ", was " + number(value), number(least) + ".." + number(most)));
        }
    }

    private static String number(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e15
                ? Long.toString((long) value)
                : Double.toString(value);
    }
}
