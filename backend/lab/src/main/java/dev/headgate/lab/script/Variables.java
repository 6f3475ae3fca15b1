package dev.headgate.lab.script;

import java.util.HashMap;
import java.util.Map;
import java.util.random.RandomGenerator;

/** The variables of one arrival: whole numbers ({@code Long}), other numbers ({@code Double}) and text. Used by one thread. */
final class Variables {

    private final Map<String, Object> values;
    private final RandomGenerator random;

    Variables(Map<String, Object> constants, RandomGenerator random) {
        this.values = new HashMap<>(constants);
        this.random = random;
    }

    RandomGenerator random() {
        return random;
    }

    void set(String name, Object value) {
        values.put(name, value);
    }

    Object get(String name) {
        Object value = values.get(name);
        if (value == null) {
            throw new ArithmeticException("the variable :" + name + " is not set");
        }
        return value;
    }
}
