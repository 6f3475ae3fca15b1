package dev.headgate.lab.policies;

import static dev.headgate.lab.report.Numbers.counted;
import static dev.headgate.lab.report.Numbers.percent;
import static dev.headgate.lab.report.Numbers.rounded;

import dev.headgate.engine.Pool;
import dev.headgate.engine.connect.Target;
import dev.headgate.engine.governor.PolicySet.Member;
import dev.headgate.lab.Application;
import dev.headgate.lab.demo.Auction;
import dev.headgate.lab.experiment.Chart;
import dev.headgate.lab.experiment.Experiment;
import dev.headgate.lab.experiment.Finding;
import dev.headgate.lab.experiment.Measure;
import dev.headgate.lab.experiment.Measure.Better;
import dev.headgate.lab.experiment.Parameter;
import dev.headgate.lab.experiment.Report;
import dev.headgate.lab.experiment.Run;
import dev.headgate.lab.experiment.Table;
import dev.headgate.lab.load.ClosedLoop;
import dev.headgate.lab.load.LoadNotes;
import dev.headgate.lab.load.LoadResult;
import dev.headgate.lab.load.OpenLoop;
import dev.headgate.lab.report.Comparison;
import dev.headgate.spi.WhenExhausted;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Users of an auction site, few to many and few again, under four ways to hold a pool: not at all; under a latency cap where whoever
 * finds no connection gets an error, waits, or is turned away at the door before the page is rendered. Users walk from page to page in
 * sessions. Those who are turned away think and ask again, so work that was done in vain is done again.
 *
 * <p>In a closed loop the users stay as many. In an open loop sessions arrive at the rate that would keep as many on the site if pages
 * took no time: the slower the pages, the more users are there.
 */
public final class PolicyUsers implements Experiment {

    private static final int CALIBRATION_SIZE = 4;
    private static final double CAP_OVER_CALIBRATION = 1.33;
    private static final Duration WARM_UP = Duration.ofMillis(500);

    /** An empty site has nearly as many users as it will have after so many times the length of a session. */
    private static final int FILLING_SESSIONS = 3;

    private static final Duration MOST_WARM_UP = Duration.ofMinutes(1);
    private static final double RENDER_MILLIS = 1;
    private static final long QUEUE_NANOS = 30_000_000_000L;
    private static final long OPENING_NANOS = 1_000_000_000L;
    private static final int MOST_WAITING = 10_000;

    /** Requests and pages of each way. */
    private static final int MEASURES = 2 * Way.values().length;

    /** Beyond it, more connections than processors need bring nothing. */
    private static final int MOST_FIXED = 6;

    private static final Application APPLICATION = new Auction();

    /** The users of the highest load are so many times those at which the cap is reached, at least. */
    private static final double BAR = 1.3;

    enum Way {
        NONE("no control", WhenExhausted.Mode.QUEUE),
        THROW("cap, error", WhenExhausted.Mode.FAIL),
        QUEUE("cap, queue", WhenExhausted.Mode.QUEUE),
        DOOR("cap, refused at the door", WhenExhausted.Mode.REJECT);

        private final String title;
        private final WhenExhausted.Mode mode;

        Way(String title, WhenExhausted.Mode mode) {
            this.title = title;
            this.mode = mode;
        }

        /** What is measured while users leave. */
        String leaving() {
            return title + ", leaving";
        }

        boolean door() {
            return mode == WhenExhausted.Mode.REJECT;
        }

        /** Whoever needs a connection that the pool may still open waits for that, also where nobody else waits. */
        WhenExhausted whenExhausted() {
            return new WhenExhausted(
                    mode, mode == WhenExhausted.Mode.QUEUE ? QUEUE_NANOS : OPENING_NANOS, MOST_WAITING);
        }
    }

    /**
     * The users of one way: first ever more, then as many as before on the way back.
     *
     * @param up to the highest load
     * @param down from it
     */
    private record Course(List<Step> up, List<Step> down) {

        Step top() {
            return up.getLast();
        }

        /** From few users to the highest load, as charts draw it. */
        List<Step> back() {
            return Stream.concat(down.reversed().stream(), Stream.of(top())).toList();
        }

        /** What every pool had, second by second. */
        Seconds pools() {
            return Seconds.together(
                    Stream.concat(up.stream(), down.stream()).map(Step::pool).toList());
        }
    }

    /**
     * The highest load before pools of fixed sizes.
     *
     * @param bySize from 1
     * @param best of those that keep the cap, the size with the most pages; 0 if none does
     * @param again that size, just before the users of the queue come and just after they left: of several measurements the best one
     *     is better than its size, and a machine changes its speed; empty without such a size
     */
    private record Fixed(List<Step> bySize, int best, List<Step> again) {}

    /** One number of users under one way. */
    record Step(int users, Seconds pool, LoadResult pages) {

        double jdbcMs() {
            return pool.meanMs();
        }

        double totalMs() {
            return pages.meanMs();
        }
    }

    /** How many seconds a step is measured. */
    @FunctionalInterface
    interface Lengths {
        /** @param step see {@link #measured} */
        int of(int seconds, Way way, int step, int steps);
    }

    private final Lengths lengths;

    public PolicyUsers() {
        this(PolicyUsers::measured);
    }

    PolicyUsers(Lengths lengths) {
        this.lengths = lengths;
    }

    @Override
    public String name() {
        return "policy-users";
    }

    @Override
    public String question() {
        return "What do users see when more of them come than a database bears: without control, and under a latency cap with errors, a queue or a refusal at the door?";
    }

    @Override
    public String source() {
        return "Jordan, Sun Labs TR-2006-151, Fig 4 to 7";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                Parameter.count("users", "The most users at once", "", 64, 128, 4, 1000),
                Parameter.count("seconds", "Measured at each number of users", "s", 2, 10, 1, 120),
                Parameter.count("connections", "The largest pool", "", 16, 20, 4, 100),
                Parameter.count(
                        "thinkMs",
                        "The mean think time; the most is that published, and too long for an open loop",
                        "ms",
                        5,
                        5,
                        1,
                        Math.toIntExact(Auction.THINK.toMillis())),
                Parameter.count("open", "1: sessions arrive at a rate (open loop); 0: users stay", "", 0, 0, 0, 1));
    }

    @Override
    public Report run(Run run) throws Exception {
        Duration warmUp = warmUp(think(run), run.count("open") == 1);
        int most = run.count("connections");
        run.at(0, "making the tables");
        Target target = MeasuredPools.prepare(run.laboratory(), "users", most + 2, List.of(APPLICATION));
        run.at(0.02, "finding a cap");
        double cap = cap(run, target);
        List<Integer> users = users(run.count("users"));
        Map<Way, Course> courses = new EnumMap<>(Way.class);
        LoadNotes notes = new LoadNotes();
        List<Step> bySize = new ArrayList<>();
        for (int size = 1; size <= Math.min(most, MOST_FIXED); size++) {
            run.at(0.05 + 0.1 * size / MOST_FIXED, counted(size, "connections") + ", fixed");
            bySize.add(fixed(run, target, size, users.getLast(), warmUp, Math.ceilDiv(run.count("seconds"), 2), notes));
        }
        Fixed fixed = new Fixed(bySize, best(bySize, cap), new ArrayList<>());
        int done = 0;
        for (Way way : Way.values()) {
            again(run, target, way, fixed, users.getLast(), warmUp, notes);
            Course course = new Course(new ArrayList<>(), new ArrayList<>());
            try (MeasuredPools pools = MeasuredPools.on(target, run.supervisor())) {
                Pool pool = open(run, pools, way, cap, most);
                Pages pages = new Pages(APPLICATION, pool, way.door(), RENDER_MILLIS);
                int steps = 2 * users.size() - 1;
                for (int i = 0; i < steps; i++) {
                    boolean up = i < users.size();
                    int each = users.get(up ? i : steps - 1 - i);
                    run.at(
                            0.15 + 0.85 * done++ / (steps * Way.values().length),
                            way.title + ", " + counted(each, "users"));
                    (up ? course.up() : course.down())
                            .add(step(
                                    run,
                                    pools,
                                    pages,
                                    each,
                                    warmUp,
                                    lengths.of(run.count("seconds"), way, i, steps),
                                    notes,
                                    up ? way.title : way.leaving()));
                }
            }
            courses.put(way, course);
            again(run, target, way, fixed, users.getLast(), warmUp, notes);
        }
        return report(cap, courses, fixed, notes.all());
    }

    private static int best(List<Step> bySize, double cap) {
        return IntStream.rangeClosed(1, bySize.size())
                .filter(size -> bySize.get(size - 1).pool().keeps(cap))
                .boxed()
                .max(Comparator.comparingDouble(size -> pages(bySize.get(size - 1))))
                .orElse(0);
    }

    /** The best fixed size again, beside the queue, which it is compared with. */
    private static void again(Run run, Target target, Way way, Fixed fixed, int users, Duration warmUp, LoadNotes notes)
            throws Exception {
        if (way == Way.QUEUE && fixed.best() > 0) {
            fixed.again().add(fixed(run, target, fixed.best(), users, warmUp, run.count("seconds"), notes));
        }
    }

    /** The highest load with a queue before a pool of one size. */
    private static Step fixed(
            Run run, Target target, int size, int users, Duration warmUp, int seconds, LoadNotes notes)
            throws Exception {
        try (MeasuredPools pools = MeasuredPools.on(target, run.supervisor())) {
            Pool pool = pools.open(APPLICATION.name(), Way.QUEUE.whenExhausted(), MeasuredPools.between(size, size));
            return step(
                    run,
                    pools,
                    new Pages(APPLICATION, pool, false, RENDER_MILLIS),
                    users,
                    warmUp,
                    seconds,
                    notes,
                    size + " connections, fixed");
        }
    }

    /**
     * How many seconds a step of a way is measured: under the queue for long enough to tell whether the cap is kept, and at the highest
     * load for long enough to be compared with another run. Else half as long while users leave, which no finding tells of.
     *
     * @param step from 0 to the last of as many steps up as down, with the highest load in the middle
     */
    static int measured(int seconds, Way way, int step, int steps) {
        if (step == steps / 2) {
            return Math.max(seconds, Comparison.leastSamples(MEASURES));
        }
        if (way == Way.QUEUE) {
            return Math.max(seconds, Math.ceilDiv(Seconds.LEAST, steps));
        }
        return step < steps / 2 ? seconds : Math.ceilDiv(seconds, 2);
    }

    private static List<Integer> users(int most) {
        List<Integer> users = new ArrayList<>();
        for (int each = 1; each < most; each *= 4) {
            users.add(each);
        }
        users.add(most);
        return users;
    }

    private static double cap(Run run, Target target) throws Exception {
        try (MeasuredPools pools = MeasuredPools.on(target, run.supervisor())) {
            Pool pool = pools.open(
                    APPLICATION.name(),
                    Way.QUEUE.whenExhausted(),
                    MeasuredPools.between(CALIBRATION_SIZE, CALIBRATION_SIZE));
            Pages pages = new Pages(APPLICATION, pool, false, RENDER_MILLIS);
            Duration think = think(run);
            new ClosedLoop(4 * CALIBRATION_SIZE, think, Duration.ZERO, WARM_UP.multipliedBy(2))
                    .runSessions(pages, run.seed());
            pools.forget();
            new ClosedLoop(4 * CALIBRATION_SIZE, think, Duration.ZERO, MeasuredPools.filling(2))
                    .runSessions(pages, run.seed());
            return CAP_OVER_CALIBRATION * pools.seconds(APPLICATION.name()).meanMs();
        }
    }

    private static Pool open(Run run, MeasuredPools pools, Way way, double cap, int most) {
        return way == Way.NONE
                ? pools.open(APPLICATION.name(), way.whenExhausted(), MeasuredPools.between(1, most))
                : pools.open(
                        APPLICATION.name(),
                        way.whenExhausted(),
                        MeasuredPools.between(1, most),
                        new Member("latency-cap", run.laboratory().policy("latency-cap", Map.of("maxLatencyMs", cap))));
    }

    private static Step step(
            Run run,
            MeasuredPools pools,
            Pages pages,
            int users,
            Duration warmUp,
            int seconds,
            LoadNotes notes,
            String way)
            throws Exception {
        pools.forget();
        LoadResult result = load(run, pages, users, warmUp, seconds);
        notes.add(way + ", " + counted(users, "users"), result);
        return new Step(users, pools.seconds(APPLICATION.name(), warmUp), result);
    }

    private static LoadResult load(Run run, Pages pages, int users, Duration warmUp, int seconds)
            throws InterruptedException {
        Duration think = think(run);
        Duration measured = MeasuredPools.filling(seconds);
        long seed = run.seed() + users;
        if (run.count("open") == 0) {
            return new ClosedLoop(users, think, warmUp, measured).runSessions(pages, seed);
        }
        return new OpenLoop(users / seconds(session(think)), think, warmUp, measured).runSessions(pages, seed);
    }

    /**
     * In an open loop the site fills first: its users come one by one.
     *
     * @throws IllegalArgumentException if that takes too long
     */
    static Duration warmUp(Duration think, boolean open) {
        Duration filling = session(think).multipliedBy(FILLING_SESSIONS);
        if (!open || filling.compareTo(WARM_UP) <= 0) {
            return WARM_UP;
        }
        if (filling.compareTo(MOST_WARM_UP) > 0) {
            double most = 1e3 * seconds(MOST_WARM_UP) / FILLING_SESSIONS / Auction.pagesPerSession();
            throw new IllegalArgumentException(
                    "With %d ms of thinking a session lasts some %.0f s, and in an open loop the site fills in %d times as long, before each of the loads. Give a thinkMs of at most %d, or open 0."
                            .formatted(think.toMillis(), seconds(session(think)), FILLING_SESSIONS, (int) most));
        }
        return filling;
    }

    /** The length of a session if pages took no time. */
    private static Duration session(Duration think) {
        return Duration.ofNanos(Math.round(Auction.pagesPerSession() * think.toNanos()));
    }

    private static double seconds(Duration duration) {
        return duration.toNanos() / 1e9;
    }

    private static Duration think(Run run) {
        return Duration.ofMillis(run.count("thinkMs"));
    }

    private static Report report(double cap, Map<Way, Course> courses, Fixed fixed, List<String> ofLoads) {
        List<String> notes = new ArrayList<>();
        notes.add("The load generator, the pages and the database share this machine's %d processors."
                .formatted(Runtime.getRuntime().availableProcessors()));
        notes.addAll(ofLoads);
        Course queue = course(courses, Way.QUEUE);
        return new Report(
                List.of(
                        uncontrolled(course(courses, Way.NONE).up(), cap),
                        queued(queue.pools(), queue.top(), cap),
                        besideFixed(queue.top(), fixed.best(), fixed.again()),
                        inVain(course(courses, Way.THROW).top(), queue.top()),
                        atTheDoor(course(courses, Way.DOOR).up(), cap)),
                List.of(
                        chart(
                                "Latency of the database by users",
                                "mean latency of a request",
                                "ms",
                                courses,
                                Step::jdbcMs,
                                cap),
                        chart(
                                "Time to a page by users",
                                "mean from the click to the page",
                                "ms",
                                courses,
                                Step::totalMs,
                                0),
                        chart(
                                "Pages per second by users",
                                "pages",
                                "1/s",
                                courses,
                                step -> step.pages().perSecond(),
                                0),
                        chart(
                                "Turned away by users",
                                "share of requests",
                                "%",
                                courses,
                                step -> 100 * step.pages().refusedShare(),
                                0)),
                List.of(table(courses, fixed)),
                measures(courses),
                notes);
    }

    private static Course course(Map<Way, Course> courses, Way way) {
        return Objects.requireNonNull(courses.get(way));
    }

    private static Finding uncontrolled(List<Step> none, double cap) {
        Step first = none.getFirst();
        Step last = none.getLast();
        return Finding.of(
                "Without control the database's latency grows with the users",
                last.jdbcMs() > 2 * first.jdbcMs() && last.jdbcMs() > cap,
                "From %s ms with one user to %s ms with %d; the cap is %s ms."
                        .formatted(rounded(first.jdbcMs()), rounded(last.jdbcMs()), last.users(), rounded(cap)));
    }

    /** @param pool at every number of users */
    static Finding queued(Seconds pool, Step last, double cap) {
        double kept = pool.within(cap);
        long refused = last.pages().refused().getTotalCount();
        long failed = last.pages().failed();
        return pool.finding(
                "With a queue every request succeeds and the database keeps the cap; the wait grows instead",
                kept >= 0.95 && refused + failed == 0 && last.totalMs() > 2 * last.jdbcMs(),
                "The cap of %s ms was kept within 1.1 in %s %% of seconds. With %d users a request took %s ms and a page %s ms.%s"
                        .formatted(
                                rounded(cap),
                                percent(kept, 0.95),
                                last.users(),
                                rounded(last.jdbcMs()),
                                rounded(last.totalMs()),
                                refused + failed == 0
                                        ? ""
                                        : " Of their pages %d were turned away and %d failed."
                                                .formatted(refused, failed)));
    }

    /** @param again the best fixed size, before ours and after it; empty if none kept the cap */
    static Finding besideFixed(Step ours, int best, List<Step> again) {
        String claim =
                "The policy finds the size: at the highest load it has 0.95 of the pages of the best fixed size that keeps the cap";
        if (again.isEmpty()) {
            return new Finding(claim, Finding.Verdict.UNDECIDED, "No fixed size that was tried kept the cap.");
        }
        double fixed = again.stream().mapToDouble(PolicyUsers::pages).average().orElseThrow();
        double ratio = pages(ours) / fixed;
        return Finding.of(
                claim,
                ratio >= 0.95,
                "%s pages/s with %s connections on average, %s with %d fixed ones, measured again before and after it (%s times)."
                        .formatted(
                                rounded(pages(ours)),
                                rounded(ours.pool().meanSize()),
                                rounded(fixed),
                                best,
                                rounded(ratio, 0.95)));
    }

    private static double pages(Step step) {
        return step.pages().perSecond();
    }

    private static Finding inVain(Step thrown, Step queue) {
        double errors = thrown.pages().perSecond();
        double waiting = queue.pages().perSecond();
        return Finding.of(
                "With errors, pages that were rendered in vain cost throughput (thrashing)",
                errors < 0.95 * waiting,
                "With %d users: %s pages/s and %d %% turned away with errors, %s pages/s with a queue."
                        .formatted(
                                thrown.users(),
                                rounded(errors),
                                Math.round(100 * thrown.pages().refusedShare()),
                                rounded(waiting)));
    }

    static Finding atTheDoor(List<Step> door, double cap) {
        String claim =
                "Refused at the door, latency stays flat whatever the load: the p99 of a page at the highest load is at most 1.3 times that where the cap is reached";
        Step last = door.getLast();
        Optional<Step> first =
                door.stream().filter(step -> step.jdbcMs() >= 0.7 * cap).findFirst();
        if (first.isEmpty() || first.get().users() == last.users()) {
            return new Finding(
                    claim,
                    Finding.Verdict.UNDECIDED,
                    "The cap of %s ms was not reached below the highest load of %d users."
                            .formatted(rounded(cap), last.users()));
        }
        Step reached = first.get();
        double before = reached.pages().percentileMs(99);
        double after = last.pages().percentileMs(99);
        return Finding.of(
                claim,
                last.pages().percentileOfAllMs(99) <= BAR * before,
                "p99 of a page: %s ms with %d users, where the cap is reached, %s ms with %d (%s times); %s and %s pages/s; %d %% turned away at the highest load%s."
                        .formatted(
                                rounded(before),
                                reached.users(),
                                rounded(after),
                                last.users(),
                                rounded(before == 0 ? 0 : after / before, BAR),
                                rounded(reached.pages().perSecond()),
                                rounded(last.pages().perSecond()),
                                Math.round(100 * last.pages().refusedShare()),
                                last.pages().failed() == 0
                                        ? ""
                                        : ", %d failed".formatted(last.pages().failed())));
    }

    private static Chart chart(
            String title,
            String axis,
            String unit,
            Map<Way, Course> courses,
            ToDoubleFunction<Step> value,
            double cap) {
        List<Chart.Line> lines = new ArrayList<>();
        courses.forEach((way, course) -> {
            lines.add(line(way.title, Chart.Style.LINE, course.up(), value));
            lines.add(line(way.leaving(), Chart.Style.DASHED, course.back(), value));
        });
        List<Step> any = courses.values().iterator().next().up();
        if (cap > 0) {
            lines.add(new Chart.Line(
                    "cap",
                    Chart.Style.DASHED,
                    List.of((double) any.getFirst().users(), (double)
                            any.getLast().users()),
                    List.of(cap, cap)));
        }
        return new Chart(
                title,
                Chart.Axis.logarithmic("users", ""),
                Chart.Axis.of(axis, unit),
                lines,
                "%s, for each way to hold the pool, from %d to %d users, and dashed while they leave again."
                        .formatted(axis, any.getFirst().users(), any.getLast().users()));
    }

    private static Chart.Line line(String name, Chart.Style style, List<Step> steps, ToDoubleFunction<Step> value) {
        return new Chart.Line(
                name,
                style,
                steps.stream().map(step -> (double) step.users()).toList(),
                steps.stream().map(value::applyAsDouble).toList());
    }

    private static Table table(Map<Way, Course> courses, Fixed fixed) {
        List<List<String>> rows = new ArrayList<>();
        courses.forEach((way, course) -> {
            course.up().forEach(step -> rows.add(row(way.title, step)));
            course.down().forEach(step -> rows.add(row(way.leaving(), step)));
        });
        fixed.bySize().forEach(step -> rows.add(row("fixed, queue", step)));
        fixed.again().forEach(step -> rows.add(row("fixed, queue, again", step)));
        return new Table(
                "Every step",
                List.of(
                        "way",
                        "users",
                        "connections",
                        "request, ms",
                        "page, ms",
                        "p99 of a page, ms",
                        "pages/s",
                        "turned away",
                        "generator late"),
                rows);
    }

    private static List<String> row(String way, Step step) {
        return List.of(
                way,
                Integer.toString(step.users()),
                rounded(step.pool().meanSize()),
                rounded(step.jdbcMs()),
                rounded(step.totalMs()),
                rounded(step.pages().percentileMs(99)),
                rounded(step.pages().perSecond()),
                Math.round(100 * step.pages().refusedShare()) + " %",
                step.pages().generatorWasBottleneck() ? "yes" : "");
    }

    private static List<Measure> measures(Map<Way, Course> courses) {
        List<Measure> measures = new ArrayList<>();
        courses.forEach((way, course) -> {
            Step last = course.top();
            if (!last.pool().meansMs().isEmpty()) {
                measures.add(new Measure(
                        way.title + ": request at the highest load",
                        "ms",
                        Better.LESS,
                        last.pool().meansMs()));
            }
            measures.add(new Measure(
                    way.title + ": pages at the highest load",
                    "1/s",
                    Better.MORE,
                    last.pool().leases().isEmpty()
                            ? List.of(last.pages().perSecond())
                            : last.pool().leases()));
        });
        return measures;
    }
}
