package dev.headgate.bench.peers;

import dev.headgate.bench.KeptRun;
import dev.headgate.bench.Machine;
import dev.headgate.bench.Options;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** {@code ./headgate bench contract}: what data sources promise, tried on Headgate's and on each peer's. */
public final class ContractBench {

    private ContractBench() {}

    /** @throws IllegalArgumentException for an unknown option */
    public static void measure(List<String> arguments) throws Exception {
        boolean quick = Options.parse(arguments).quick();
        PeersBench.silence();
        Instant began = Instant.now();
        String machine = Machine.describe();
        List<KeptRun.Answer> answers = new ArrayList<>();
        try (PeerServer server = new PeerServer()) {
            Contract contract = new Contract(server);
            for (Clause clause : Clause.values()) {
                System.out.println(clause.label());
                for (Peer peer : Peer.values()) {
                    String said = contract.answer(clause, peer);
                    System.out.printf("  %-13s %s%n", peer.label(), said);
                    answers.add(new KeptRun.Answer(clause.label(), peer.label(), said));
                }
            }
            new KeptRun("contract", began, quick, machine, PeersBench.versions(server), List.of(), answers).keep();
        }
    }
}
