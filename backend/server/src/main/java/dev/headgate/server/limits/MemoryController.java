package dev.headgate.server.limits;

import dev.headgate.engine.memory.MemoryAccount;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/v1/memory")
@Tag(name = "service")
class MemoryController {

    private final MemoryAccount account;
    private final Counts counts;

    MemoryController(MemoryAccount account, Counts counts) {
        this.account = account;
        this.counts = counts;
    }

    /**
     * The memory that the service holds for its callers.
     *
     * @param mostBytes the most that may be held
     * @param reservedBytes held now
     * @param counts of what takes memory beside that, each until it is deleted or goes away
     */
    @Schema(name = "Memory")
    record Memory(long mostBytes, long reservedBytes, List<Holder> holders, List<Count> counts) {}

    /**
     * How many there are of a kind.
     *
     * @param most how many there may be
     */
    @Schema(name = "MemoryCount")
    record Count(
            @Schema(allowableValues = {"databases", "domains", "clients", "wire-clients"})
            String of,

            int now,
            int most) {}

    /**
     * The memory for one purpose.
     *
     * @param mostBytes the most for this purpose; the sum over all purposes exceeds the account
     * @param highestBytes the most that it held since the start
     * @param refused reservations that were refused since the start
     */
    @Schema(name = "MemoryHolder")
    record Holder(
            @Schema(
                    allowableValues = {
                        Holders.WIRE,
                        Holders.BUFFERS,
                        Holders.HTTP,
                        Holders.WORK,
                        Holders.HISTORY,
                        Holders.LEASES,
                        Holders.STREAM,
                        Holders.WIDE_STREAM,
                        Holders.LOG
                    })
            String holder,

            long reservedBytes,
            long highestBytes,
            long mostBytes,
            long refused) {}

    @GetMapping
    Memory readMemory() {
        return new Memory(
                account.most(),
                account.reserved(),
                account.lines().stream()
                        .map(line ->
                                new Holder(line.holder(), line.reserved(), line.highest(), line.most(), line.refused()))
                        .toList(),
                counts.lines().stream()
                        .map(line -> new Count(line.kind().label(), line.now(), line.most()))
                        .toList());
    }
}
