package dev.headgate.bench.peers;

import dev.headgate.bench.Options;
import dev.headgate.bench.Sheet;
import java.util.List;

/** {@code ./headgate bench contract}: what data sources promise, tried on Headgate's and on each peer's. */
public final class ContractBench {

    private ContractBench() {}

    /** @throws IllegalArgumentException for an unknown option */
    public static void measure(Sheet sheet, List<String> arguments) throws Exception {
        Options<?> _ = Options.parse(arguments);
        PeersBench.silence();
        try (PeerServer server = new PeerServer()) {
            PeersBench.noteVersions(sheet, server);
            Contract contract = new Contract(server);
            for (Clause clause : Clause.values()) {
                for (Peer peer : Peer.values()) {
                    sheet.entry("", peer.label()).answer(clause.label(), contract.answer(clause, peer));
                }
                sheet.print();
            }
        }
    }
}
