package dev.headgate.lab;

/** What arrives at one domain, and how often. Immutable. */
public interface Load {

    /** The name of its workload. */
    String name();

    /** The domain on whose pool it runs. */
    String domain();

    /** A short description for people. */
    String description();

    Pace pace();

    Mix mix();
}
