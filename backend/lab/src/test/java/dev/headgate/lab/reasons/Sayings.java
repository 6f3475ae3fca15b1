package dev.headgate.lab.reasons;

import dev.headgate.spi.Limits;
import dev.headgate.spi.WhenExhausted;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Every sentence that a shipping policy gives as its reason, and what must hold where it is said. One that is not here is
 * refused: nobody could say whether it is true.
 */
final class Sayings {

    /** What a sentence is held against. */
    record Truth(Limits said, int size, int waiting, int budget, Measured measured, Faults faults) {

        void holds(boolean condition, String rule) {
            if (!condition) {
                faults.add(rule);
            }
        }

        void ceilingIs(int told) {
            holds(told == said.ceiling(), "a policy's sentence tells another ceiling than its answer");
        }
    }

    /** Takes what is broken. */
    interface Faults {
        void add(String rule);
    }

    private interface Check {
        void of(MatchResult saying, Truth truth);
    }

    private record Saying(Pattern pattern, Check check) {}

    private static final String STATISTIC = "(mean|p95|p99)";
    private static final String MS = "([0-9.]+) ms";
    private static final String CONNECTIONS = "([0-9]+) connections?";

    private static final String CLOSE = "so close to the cap of @M that chance often takes it over";

    private static final List<Saying> ALL = List.of(
            // latency-cap
            saying("The @S is @M with @C, over the cap of @M; watching whether it stays there\\.", (m, t) -> {
                over(m, t, 1, 2, 4);
                t.ceilingIs(whole(m, 3));
            }),
            saying("The @S stayed at @M with @C, over the cap of @M; (\\d+) should bring it to @M\\.", (m, t) -> {
                over(m, t, 1, 2, 4);
                t.ceilingIs(whole(m, 5));
            }),
            saying("The @S is @M with @C, " + CLOSE + "; watching whether it stays there\\.", (m, t) -> {
                under(m, t, 2, 4);
                t.ceilingIs(whole(m, 3));
            }),
            saying("The @S stayed at @M with @C, " + CLOSE + "; (\\d+) should bring it to @M\\.", (m, t) -> {
                under(m, t, 2, 4);
                t.ceilingIs(whole(m, 5));
            }),
            saying("An? (\\d+)(?:st|nd|rd|th) connection would bring the @S to @M, " + CLOSE + "\\.", (m, t) -> {
                under(m, t, 3, 4);
                t.ceilingIs(whole(m, 1) - 1);
            }),
            saying(
                    "Even with @C the @S is @M, over the cap of @M: the database itself is too slow for it\\.",
                    (m, t) -> over(m, t, 2, 3, 4)),
            saying(
                    "The @S is @M with @C and would still be @M with (\\d+), over the cap of @M: the database itself is too slow for it\\.",
                    (m, t) -> {
                        over(m, t, 1, 2, 6);
                        t.holds(figure(m, 4) > figure(m, 6), "over the cap of a prediction under it");
                    }),
            saying("An? (\\d+)(?:st|nd|rd|th) connection would bring the @S to @M, over the cap of @M\\.", (m, t) -> {
                t.holds(figure(m, 3) > figure(m, 4), "over the cap of a prediction under it");
                t.ceilingIs(whole(m, 1) - 1);
            }),
            saying("The @S is @M, under the cap of @M; @C ha(?:s|ve) been more than enough so far\\.", (m, t) -> {
                under(m, t, 2, 3);
                t.ceilingIs(whole(m, 4));
                nobodyWaits(t);
            }),
            saying(
                    "The @S is @M, under the cap of @M; more than @C will be granted when they are needed\\.",
                    (m, t) -> {
                        under(m, t, 2, 3);
                        t.ceilingIs(whole(m, 4));
                        t.holds(
                                t.waiting == 0 || t.size < t.said.ceiling(),
                                "granted when they are needed, and they are");
                    }),
            saying("The @S is @M, under the cap of @M; watches @C before it grants more\\.", (m, t) -> {
                under(m, t, 2, 3);
                t.ceilingIs(whole(m, 4));
            }),
            saying("The @S is @M, but not surely over the cap of @M; holds @C\\.", (m, t) -> {
                over(m, t, 1, 2, 3);
                t.ceilingIs(whole(m, 4));
            }),
            saying("The @S is @M with @C and should be @M with (\\d+), under the cap of @M\\.", (m, t) -> {
                under(m, t, 4, 6);
                t.ceilingIs(whole(m, 5));
            }),
            saying(
                    "Tries @C: the @S should be about @M then, with the cap at @M\\.",
                    (m, t) -> t.ceilingIs(whole(m, 1))),
            saying(
                    "An? (\\d+)(?:st|nd|rd|th) connection would add no throughput: with @C requests slow each other down \\(the @S is @M\\)\\.",
                    (m, t) -> {
                        t.ceilingIs(whole(m, 1) - 1);
                        t.ceilingIs(whole(m, 2));
                    }),
            saying(
                    "Starts with @C and grows while the @S stays under the cap of @M\\.",
                    (m, t) -> t.ceilingIs(whole(m, 1))),
            saying("The pool's floor is @C\\.", (m, t) -> t.ceilingIs(whole(m, 1))),
            saying("Too few requests lately to judge by; holds @C\\.", (m, t) -> t.ceilingIs(whole(m, 1))),
            // gradient
            saying("Starts with @C\\.", (m, t) -> t.ceilingIs(whole(m, 1))),
            saying("At most @C: the mean (?:is|was) @M, usually @M, more than ([0-9.]+) times as long\\.", (m, t) -> {
                t.ceilingIs(whole(m, 1));
                t.holds(
                        figure(m, 2) > figure(m, 4) * figure(m, 3) - 0.051 * figure(m, 4),
                        "so many times as long, and not");
            }),
            saying("At most @C: the mean (?:is|was) @M, usually @M, and( no)? more (are|were) wanted\\.", (m, t) -> {
                t.ceilingIs(whole(m, 1));
                if (m.group(4) != null && m.group(5).equals("are")) {
                    nobodyWaits(t);
                }
            }),
            // delegate
            saying(
                    "Requests may wait until (\\d+) of them do(?:es)?, the oldest for (\\d+) ms\\.",
                    (m, t) -> queues(t)),
            saying(
                    "(\\d+) requests? waited, the oldest for (\\d+) ms: more are turned away at the door until fewer come\\.",
                    (m, t) -> t.holds(
                            t.said.whenExhausted().mode() == WhenExhausted.Mode.REJECT, "turned away, and not")),
            // schedule
            saying(
                    "At most @C (?:from .*|outside of the scheduled windows) \\(.*\\)\\.",
                    (m, t) -> bounds(t, 0, whole(m, 1))),
            saying(
                    "(\\d+) to @C (?:from .*|outside of the scheduled windows) \\(.*\\)\\.",
                    (m, t) -> bounds(t, whole(m, 1), whole(m, 2))),
            // tiers
            saying("(?:Gold|Silver|Bronze): (\\d+) guaranteed, as many more as the database can spare\\.", (m, t) -> {
                t.holds(whole(m, 1) == t.said.guaranteed(), "another guarantee than the answer's");
                t.holds(t.said.ceiling() == Limits.UNSPECIFIED, "as many more, and a ceiling");
            }),
            saying(
                    "(?:Gold|Silver|Bronze): at most (\\d+), which is (\\d+) guaranteed and (\\d+) borrowed\\.",
                    (m, t) -> {
                        t.ceilingIs(whole(m, 1));
                        t.ceilingIs(whole(m, 2) + whole(m, 3));
                        t.holds(whole(m, 2) == t.said.guaranteed(), "another guarantee than the answer's");
                    }),
            // min-max
            saying(
                    "At most @C \\(max\\), (none|\\d+) kept when idle(?: \\(min\\))?, the others closed after ([0-9.]+) s\\.",
                    (m, t) -> {
                        t.ceilingIs(whole(m, 1));
                        int floor = m.group(2).equals("none") ? 0 : whole(m, 2);
                        t.holds(floor == t.said.floor(), "a policy's sentence tells another floor than its answer");
                        t.holds(
                                figure(m, 3) * 1e9 == t.said.idleTimeoutNanos(),
                                "another idle timeout than the answer's");
                    }),
            saying(
                    "At most @C \\(max\\), (\\d+) kept from the start \\(initial\\), .*\\.",
                    (m, t) -> bounds(t, whole(m, 2), whole(m, 1))),
            // rate-limit
            saying("At most ([0-9.]+) leases? per second, (\\d+) at once\\.", (m, t) -> {
                t.holds(figure(m, 1) == t.said.rate(), "another rate than the answer's");
                t.holds(whole(m, 2) == t.said.burst(), "another burst than the answer's");
            }),
            // a size that is tried in place of what the policies say
            saying("A size of (\\d+) is tried\\.", (m, t) -> bounds(t, whole(m, 1), whole(m, 1))),
            // budget-share
            saying(
                    "At most @C: (\\d+) % of the database's budget of (\\d+)\\.",
                    (m, t) -> {
                        t.ceilingIs(whole(m, 1));
                        t.holds(whole(m, 3) == t.budget, "another budget than the database's");
                    }));

    private Sayings() {}

    /** A sentence of a policy, or an empty text where it says nothing. */
    static void check(String sentence, Truth truth) {
        if (sentence.isEmpty()) {
            return;
        }
        for (Saying saying : ALL) {
            Matcher matcher = saying.pattern.matcher(sentence);
            if (matcher.matches()) {
                saying.check.of(matcher.toMatchResult(), truth);
                return;
            }
        }
        truth.faults.add("a sentence that nobody knows");
    }

    private static Saying saying(String pattern, Check check) {
        return new Saying(
                Pattern.compile(
                        pattern.replace("@S", STATISTIC).replace("@M", MS).replace("@C", CONNECTIONS)),
                check);
    }

    private static void over(MatchResult m, Truth truth, int statistic, int present, int cap) {
        truth.holds(figure(m, present) > figure(m, cap), "over the cap of a figure under it");
        truth.holds(
                truth.measured.wasOver(m.group(statistic), figure(m, cap)),
                "over the cap, and nothing that was measured of late is");
    }

    private static void under(MatchResult m, Truth truth, int present, int cap) {
        truth.holds(figure(m, present) <= figure(m, cap), "under the cap of a figure over it");
    }

    private static void nobodyWaits(Truth truth) {
        truth.holds(truth.waiting == 0, "enough, and somebody waits");
    }

    private static void queues(Truth truth) {
        truth.holds(truth.said.whenExhausted().mode() == WhenExhausted.Mode.QUEUE, "may wait, and may not");
    }

    private static void bounds(Truth truth, int floor, int ceiling) {
        truth.ceilingIs(ceiling);
        truth.holds(floor == truth.said.floor(), "a policy's sentence tells another floor than its answer");
    }

    static int whole(MatchResult m, int group) {
        return Integer.parseInt(m.group(group));
    }

    static double figure(MatchResult m, int group) {
        return Double.parseDouble(m.group(group));
    }
}
