package dev.headgate.spi;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The parameters of one policy, as parsed from JSON: {@code String}, {@code Boolean}, {@code Number}, {@code List} and
 * {@code Map} values. A getter throws {@link InvalidParametersException}, naming the parameter, where the value is
 * missing or of another type.
 */
public record Parameters(Map<String, Object> values) {

    public Parameters {
        values = Map.copyOf(values);
    }

    public static Parameters of(Map<String, Object> values) {
        return new Parameters(values);
    }

    public boolean has(String name) {
        return values.containsKey(name);
    }

    public int integer(String name) {
        Number number = number(name);
        if (number.doubleValue() != Math.rint(number.doubleValue())
                || Math.abs(number.doubleValue()) > Integer.MAX_VALUE) {
            throw InvalidParametersException.of(name, "must be a whole number, was " + number);
        }
        return number.intValue();
    }

    public double decimal(String name) {
        return number(name).doubleValue();
    }

    public String string(String name) {
        if (require(name) instanceof String string) {
            return string;
        }
        throw InvalidParametersException.of(name, "must be a string, was " + values.get(name));
    }

    public boolean bool(String name) {
        if (require(name) instanceof Boolean bool) {
            return bool;
        }
        throw InvalidParametersException.of(name, "must be true or false, was " + values.get(name));
    }

    public Optional<Object> find(String name) {
        return Optional.ofNullable(values.get(name));
    }

    public int integer(String name, int otherwise) {
        return has(name) ? integer(name) : otherwise;
    }

    public double decimal(String name, double otherwise) {
        return has(name) ? decimal(name) : otherwise;
    }

    public String string(String name, String otherwise) {
        return has(name) ? string(name) : otherwise;
    }

    private Number number(String name) {
        if (require(name) instanceof Number number) {
            return number;
        }
        throw InvalidParametersException.of(name, "must be a number, was " + values.get(name));
    }

    private Object require(String name) {
        Object value = values.get(name);
        if (value == null) {
            throw new InvalidParametersException(List.of(new InvalidParametersException.Fault(name, "is missing")));
        }
        return value;
    }
}
