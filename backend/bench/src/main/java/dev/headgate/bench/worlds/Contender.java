package dev.headgate.bench.worlds;

import dev.headgate.simulator.worlds.Statistic;
import dev.headgate.spi.Parameters;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PolicyFactory;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceLoader;

/** A policy that seeks the size of a pool by itself. */
enum Contender {
    LATENCY_CAP {
        @Override
        Policy policy(double capMs, Statistic statistic) {
            return shipped("latency-cap", Map.of("maxLatencyMs", capMs, "statistic", statistic.label()));
        }
    },
    VEGAS {
        @Override
        Policy policy(double capMs, Statistic statistic) {
            return NetflixLimit.vegas();
        }
    },
    GRADIENT2 {
        @Override
        Policy policy(double capMs, Statistic statistic) {
            return NetflixLimit.gradient2();
        }
    };

    /** A new one. Those of Netflix know no cap. */
    abstract Policy policy(double capMs, Statistic statistic);

    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** A policy that Headgate ships, with parameters. */
    static Policy shipped(String plugin, Map<String, Object> parameters) {
        return ServiceLoader.load(PolicyFactory.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(factory -> factory.id().equals(plugin))
                .findFirst()
                .orElseThrow()
                .create(Parameters.of(parameters));
    }
}
