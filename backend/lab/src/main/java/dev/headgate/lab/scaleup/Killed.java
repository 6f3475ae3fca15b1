package dev.headgate.lab.scaleup;

/** Ends a coordinator's thread in the middle of a transaction, as the end of its process would. */
final class Killed extends RuntimeException {

    private static final long serialVersionUID = 1;

    Killed(Coordinator.Step step) {
        super("killed when " + step);
    }
}
