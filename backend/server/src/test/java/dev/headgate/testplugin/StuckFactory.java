package dev.headgate.testplugin;

import dev.headgate.spi.Parameters;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PolicyFactory;

/** Makes policies that never answer. */
public final class StuckFactory implements PolicyFactory {

    @Override
    public String id() {
        return "stuck";
    }

    @Override
    public String description() {
        return "Never answers.";
    }

    @Override
    public String parameterSchema() {
        return "{\"type\": \"object\"}";
    }

    @Override
    public Policy create(Parameters parameters) {
        return view -> {
            synchronized (this) {
                while (true) {
                    try {
                        wait();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException("interrupted", e);
                    }
                }
            }
        };
    }
}
