package dev.headgate.spi;

import java.util.List;
import java.util.stream.Collectors;

/** Thrown by {@link PolicyFactory#create} with every fault that was found, so that they can be mended in one go. */
public final class InvalidParametersException extends IllegalArgumentException {

    private static final long serialVersionUID = 1;

    /**
     * One thing that is wrong.
     *
     * @param parameter the parameter's name; a nested one as a JSON-pointer tail ("windows/0/from")
     * @param problem what was wrong and what is allowed ("must not exceed max (20), was 30")
     */
    public record Fault(String parameter, String problem) implements java.io.Serializable {}

    private final List<Fault> faults;

    public InvalidParametersException(List<Fault> faults) {
        super(faults.stream().map(f -> f.parameter() + " " + f.problem()).collect(Collectors.joining("; ")));
        this.faults = List.copyOf(faults);
    }

    public static InvalidParametersException of(String parameter, String problem) {
        return new InvalidParametersException(List.of(new Fault(parameter, problem)));
    }

    public List<Fault> faults() {
        return faults;
    }
}
