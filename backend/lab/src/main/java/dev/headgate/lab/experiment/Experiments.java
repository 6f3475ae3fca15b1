package dev.headgate.lab.experiment;

import dev.headgate.lab.policies.PolicyDomains;
import dev.headgate.lab.policies.PolicySweep;
import dev.headgate.lab.policies.PolicyUsers;
import dev.headgate.lab.policies.Tiers;
import dev.headgate.lab.pools.Pools;
import dev.headgate.lab.queries.AsyncDrivers;
import dev.headgate.lab.queries.ForkJoin;
import dev.headgate.lab.queries.ManyConnections;
import dev.headgate.lab.queries.Pipelining;
import dev.headgate.lab.queries.Portal;
import dev.headgate.lab.scaleup.ScaleUp;
import dev.headgate.lab.web.Streaming;
import dev.headgate.lab.web.TenThousand;
import java.util.List;
import java.util.Optional;

/** All experiments, in the order of the publications that they come from. */
public final class Experiments {

    private static final List<Experiment> ALL = List.of(
            new PolicySweep(),
            new PolicyUsers(),
            new PolicyDomains(),
            new Tiers(),
            new AsyncDrivers(),
            new Pipelining(),
            new ForkJoin(),
            new ManyConnections(),
            new Portal(),
            new TenThousand(),
            new Streaming(),
            new ScaleUp(),
            new Pools());

    private Experiments() {}

    public static List<Experiment> all() {
        return ALL;
    }

    public static Optional<Experiment> named(String name) {
        return ALL.stream().filter(each -> each.name().equals(name)).findFirst();
    }
}
