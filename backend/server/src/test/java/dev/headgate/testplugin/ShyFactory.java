package dev.headgate.testplugin;

import dev.headgate.spi.Limits;
import dev.headgate.spi.Parameters;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PolicyFactory;
import dev.headgate.spi.PoolView;
import dev.headgate.spi.Window;

/** Makes policies that learn: they allow one connection until something was measured. */
public final class ShyFactory implements PolicyFactory {

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
