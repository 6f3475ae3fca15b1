package dev.headgate.engine.meter;

/** Who uses a connection at the moment. */
public interface Holder {

    /** As the holder named itself, for people; from any thread. */
    String holder();
}
