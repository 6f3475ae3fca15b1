package dev.headgate.policy.latencycap;

/**
 * The sentences that explain what was decided. Each is made of the figures that the decision rests on, as they are when it is made.
 */
final class Reasons {

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

    Reason start() {
        return Reason.of("Starts with %s and grows while the %s stays under the cap of %s."
                .formatted(connections(), label, cap()));
    }

    Reason floor() {
        return Reason.of("The pool's floor is " + connections() + ".");
    }

    Reason tooFewRequests() {
        return Reason.of("Too few requests lately to judge by; holds " + connections() + ".");
    }

    /** Nothing changes: what the latency is, and what keeps the pool from growing. */
    Reason outlook(Demand demand) {
        boolean over = prediction.present() > capNanos;
        if (!over && demand.waiting() == 0 && measured.wasMoreThanEnough(ceiling.size())) {
            return ofPresent("The " + label + " is " + present() + ", under the cap of " + cap() + "; " + connections()
                            + (ceiling.size() == 1 ? " has" : " have") + " been more than enough so far.")
                    .whileNobodyWaits();
        }
        int more = ceiling.size() + 1;
        double next = prediction.at(more);
        if (next > capNanos || (!over && next > prediction.target())) {
            return ofPresent(Wording.article(more) + " connection would bring the " + label + " to "
                    + Wording.ms(next, capNanos) + ", "
                    + (next > capNanos ? "over the cap of " + cap() : tooClose()) + ".");
        }
        String is = "The " + label + " is " + present();
        if (over) {
            return ofPresent(is + ", but not surely over the cap of " + cap() + "; holds " + connections() + ".");
        }
        return demand.waiting() > 0 && demand.granted()
                ? ofPresent(
                        is + ", under the cap of " + cap() + "; watches " + connections() + " before it grants more.")
                : ofPresent(is + ", under the cap of " + cap() + "; more than " + connections()
                                + " will be granted when they are needed.")
                        .whileNobodyWaits();
    }

    Reason watching() {
        return ofPresent("The %s is %s with %s, %s; watching whether it stays there."
                .formatted(label, present(), connections(), tooHigh()));
    }

    Reason growth(int before) {
        return ofLevel("The %s is %s with %s and should be %s with %d, under the cap of %s."
                .formatted(
                        label,
                        Wording.ms(prediction.level()),
                        Wording.connections(before),
                        Wording.ms(prediction.at(ceiling.size()), capNanos),
                        ceiling.size(),
                        cap()));
    }

    Reason trial() {
        return ofLevel("Tries %s: the %s should be about %s then, with the cap at %s."
                .formatted(connections(), label, Wording.ms(prediction.at(ceiling.size())), cap()));
    }

    /** More connections would bring latency and no throughput. */
    Reason futility() {
        return ofLevel(Wording.article(ceiling.size() + 1) + " connection would add no throughput: with "
                + connections() + " requests slow each other down (the " + label + " is "
                + Wording.ms(prediction.level()) + ").");
    }

    /** The pool is at its floor, and the cap does not hold. */
    Reason unattainable(int used) {
        return ofPresent("Even with %s the %s is %s, over the cap of %s: the database itself is too slow for it."
                .formatted(Wording.connections(used), label, present(), cap()));
    }

    /** The cap would not even hold at the floor. */
    Reason hopeless(int used, int least) {
        return ofPresent(
                "The %s is %s with %s and would still be %s with %d, over the cap of %s: the database itself is too slow for it."
                        .formatted(
                                label,
                                present(),
                                Wording.connections(used),
                                Wording.ms(prediction.at(least), capNanos),
                                least,
                                cap()));
    }

    /** Connections are to be taken away. Made before they are: a change of the size begins to measure anew. */
    Reason shrinking(int used, int target) {
        return ofPresent("The %s stayed at %s with %s, %s; %d should bring it to %s."
                .formatted(
                        label,
                        present(),
                        Wording.connections(used),
                        tooHigh(),
                        target,
                        Wording.ms(prediction.at(target))));
    }

    private Reason ofPresent(String sentence) {
        return Reason.of(sentence, prediction.present());
    }

    /** Growth is decided by what the model believes. */
    private Reason ofLevel(String sentence) {
        return Reason.of(sentence, prediction.level());
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
