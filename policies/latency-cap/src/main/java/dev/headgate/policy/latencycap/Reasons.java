package dev.headgate.policy.latencycap;

/**
 * The sentences that explain what was decided. Each is made of the figures that the decision rests on, as they are when it is made.
 */
final class Reasons {

    private static final String ENOUGH = " been more than enough so far.";
    private static final String WHEN_NEEDED = " will be granted when they are needed.";

    private final String label;
    private final double capNanos;
    private final Measured measured;
    private final Prediction prediction;
    private final Ceiling ceiling;

    Reasons(Statistic statistic, Measured measured, Prediction prediction, Ceiling ceiling) {
        this.label = statistic.label();
        this.capNanos = prediction.capNanos();
        this.measured = measured;
        this.prediction = prediction;
        this.ceiling = ceiling;
    }

    /** Whether a reason is true only as long as nobody waits for more. */
    static boolean saysThatNobodyWaits(String reason) {
        return reason.endsWith(ENOUGH) || reason.endsWith(WHEN_NEEDED);
    }

    String start() {
        return "Starts with %s and grows while the %s stays under the cap of %s."
                .formatted(connections(), label, cap());
    }

    String floor() {
        return "The pool's floor is " + connections() + ".";
    }

    String tooFewRequests() {
        return "Too few requests lately to judge by; holds " + connections() + ".";
    }

    /** Nothing changes: what the latency is, and what keeps the pool from growing. */
    String outlook(Demand demand) {
        boolean over = prediction.present() > capNanos;
        if (!over && demand.waiting() == 0 && measured.wasMoreThanEnough(ceiling.size())) {
            return "The " + label + " is " + present() + ", under the cap of " + cap() + "; " + connections()
                    + (ceiling.size() == 1 ? " has" : " have") + ENOUGH;
        }
        int more = ceiling.size() + 1;
        double next = prediction.at(more);
        if (next > capNanos || (!over && next > prediction.target())) {
            return Wording.article(more) + " connection would bring the " + label + " to " + Wording.ms(next, capNanos)
                    + ", " + (next > capNanos ? "over the cap of " + cap() : tooClose()) + ".";
        }
        String is = "The " + label + " is " + present();
        if (over) {
            return is + ", but not surely over the cap of " + cap() + "; holds " + connections() + ".";
        }
        return demand.waiting() > 0 && demand.granted()
                ? is + ", under the cap of " + cap() + "; watches " + connections() + " before it grants more."
                : is + ", under the cap of " + cap() + "; more than " + connections() + WHEN_NEEDED;
    }

    String watching() {
        return "The %s is %s with %s, %s; watching whether it stays there."
                .formatted(label, present(), connections(), tooHigh());
    }

    String growth(int before) {
        return "The %s is %s with %s and should be %s with %d, under the cap of %s."
                .formatted(
                        label,
                        Wording.ms(prediction.level()),
                        Wording.connections(before),
                        Wording.ms(prediction.at(ceiling.size()), capNanos),
                        ceiling.size(),
                        cap());
    }

    String trial() {
        return "Tries %s: the %s should be about %s then, with the cap at %s."
                .formatted(connections(), label, Wording.ms(prediction.at(ceiling.size())), cap());
    }

    /** More connections would bring latency and no throughput. */
    String futility() {
        return Wording.article(ceiling.size() + 1) + " connection would add no throughput: with " + connections()
                + " requests slow each other down (the " + label + " is " + Wording.ms(prediction.level()) + ").";
    }

    /** The pool is at its floor, and the cap does not hold. */
    String unattainable(int used) {
        return "Even with %s the %s is %s, over the cap of %s: the database itself is too slow for it."
                .formatted(Wording.connections(used), label, present(), cap());
    }

    /** The cap would not even hold at the floor. */
    String hopeless(int used, int least) {
        return "The %s is %s with %s and would still be %s with %d, over the cap of %s: the database itself is too slow for it."
                .formatted(
                        label,
                        present(),
                        Wording.connections(used),
                        Wording.ms(prediction.at(least), capNanos),
                        least,
                        cap());
    }

    /** Connections are to be taken away. Made before they are: a change of the size begins to measure anew. */
    String shrinking(int used, int target) {
        return "The %s stayed at %s with %s, %s; %d should bring it to %s."
                .formatted(
                        label,
                        present(),
                        Wording.connections(used),
                        tooHigh(),
                        target,
                        Wording.ms(prediction.at(target)));
    }

    private String cap() {
        return Wording.ms(capNanos);
    }

    private String connections() {
        return Wording.connections(ceiling.size());
    }

    private String present() {
        return Wording.ms(prediction.present(), capNanos);
    }

    /** What is wrong with the latency at present: it is over the cap, or closer to it than chance allows. */
    private String tooHigh() {
        return prediction.present() > capNanos ? "over the cap of " + cap() : tooClose();
    }

    private String tooClose() {
        return "so close to the cap of " + cap() + " that chance often takes it over";
    }
}
