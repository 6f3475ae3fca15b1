package dev.headgate.testplugin;

import dev.headgate.spi.Limits;
import dev.headgate.spi.Parameters;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PolicyFactory;
import dev.headgate.spi.PoolView;
import dev.headgate.spi.Window;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Makes policies that learn: they allow one connection until something was measured. Of those with the parameter {@code most} it makes
 * only so many, all together.
 */
public final class ShyFactory implements PolicyFactory {

    private static final AtomicInteger counted = new AtomicInteger();

    @Override
    public String id() {
        return "shy";
    }

    @Override
    public String description() {
        return "Allows one connection until something was measured.";
    }

    @Override
    public String parameterSchema() {
        return "{\"type\": \"object\"}";
    }

    @Override
    public Policy create(Parameters parameters) {
        if (parameters.has("most") && counted.incrementAndGet() > parameters.integer("most")) {
            throw new IllegalStateException("has made enough");
        }
        return new Policy() {
            private int ceiling = 1;

            @Override
            public Limits limits(PoolView pool) {
                return Limits.unbounded().withCeiling(ceiling).because("Learned so far: " + ceiling + ".");
            }

            @Override
            public void observe(Window window) {
                ceiling = Math.min(50, ceiling + 1);
            }
        };
    }
}
