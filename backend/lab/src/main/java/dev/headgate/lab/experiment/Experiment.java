package dev.headgate.lab.experiment;

import com.zaxxer.hikari.HikariConfig;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.postgresql.Driver;

/** One question that is answered by measuring. Immutable; each call of {@link #run} is a run of its own. */
public interface Experiment {

    /** Lower-case words with hyphens: "policy-sweep". Unique. */
    String name();

    /** What it asks, as one question for people. */
    String question();

    /** The publication that asked first, with its figures: "Jordan, Sun Labs TR-2006-151, Fig 2 and 3". */
    String source();

    /** The libraries that it measures or measures with, with their versions, in the order in which people read them. */
    default Map<String, String> versions() {
        Map<String, String> versions = new LinkedHashMap<>();
        Jar.version(Driver.class).ifPresent(version -> versions.put("pgjdbc", version));
        Jar.version(HikariConfig.class).ifPresent(version -> versions.put("HikariCP", version));
        return versions;
    }

    /** What may be changed of it, in the order in which a form shows it. */
    List<Parameter> parameters();

    /**
     * Runs it on the calling thread, for as long as its parameters say: less than two minutes with the quick values. Everything that
     * it started has ended when it returns or throws.
     *
     * @throws java.util.concurrent.CancellationException if it was cancelled
     * @throws InterruptedException if it was cancelled
     * @throws Exception if it could not be measured, with a message for people
     */
    Report run(Run run) throws Exception;
}
