package dev.headgate.server.demo;

import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.hibernate.validator.constraints.Range;
import org.jspecify.annotations.Nullable;

/**
 * A user's own load.
 *
 * @param domain on whose pool it runs
 * @param ratePerSecond arrivals a second, 0.1..5000; default 10, if there are neither users nor phases
 * @param varies whether the rate rises and falls over minutes; default false
 * @param users a closed loop in place of a rate: so many send a request, wait for its end, think, and send the next
 * @param thinkMs the mean time that users think; default 0
 * @param phases steps and ramps in place of a rate or users, one after another; then the load stops
 * @param running whether it starts at once; default true
 * @param seed of everything random; by default it follows from the name
 * @param variables numbers that every transaction finds set; {@code scale} is 1 unless it is given
 * @param transactions one of them is drawn for each arrival
 */
@Schema(name = "WorkloadPut")
record WorkloadPutRequest(
        @NotNull(message = "is missing") @Schema(pattern = "^[a-z][a-z0-9-]{0,62}$")
        String domain,

        @Size(max = 500, message = "is too long") @Nullable String description,

        @Schema(minimum = "0.1", maximum = "5000") @Nullable Double ratePerSecond,

        @Nullable Boolean varies,

        @Schema(minimum = "1", maximum = "1000") @Nullable Integer users,

        @Range(min = 0, max = 60_000) @Nullable Double thinkMs,

        @Size(min = 1, max = 50, message = "must be 1 to 50") @Nullable
        List<@NotNull(message = "is missing") @Valid WorkloadPhaseRequest> phases,

        @Nullable Boolean running,
        @Nullable Long seed,

        @Size(max = 100, message = "must be at most 100") @Nullable
        Map<
                        @Pattern(regexp = "^[A-Za-z_][A-Za-z0-9_]{0,62}$", message = "must be a name") String,
                        @NotNull(message = "is missing") @Range(min = -MOST_EXACT, max = MOST_EXACT) Double>
                variables,

        @NotNull(message = "is missing") @Size(min = 1, max = 20, message = "must be 1 to 20")
        List<@NotNull(message = "is missing") @Valid WorkloadTransactionRequest> transactions) {

    /** Beyond it not every whole number is a double: another one would take its place. */
    private static final long MOST_EXACT = (1L << 53) - 1;

    /** Bytes of memory for each character of a text: the text, and what it is parsed into. */
    private static final long ROOM = 8;

    /** What one of the parts of a load takes beside its text. */
    private static final long PART = 200;

    /** How much memory the load takes while it exists, roughly. */
    long bytesHeld() {
        long bytes = PART;
        for (WorkloadTransactionRequest transaction : transactions) {
            bytes += PART + ROOM * length(transaction.script());
            for (String statement : Objects.requireNonNullElse(transaction.statements(), List.<String>of())) {
                bytes += PART + ROOM * length(statement);
            }
            for (String expression : Objects.requireNonNullElse(transaction.parameters(), Map.<String, String>of())
                    .values()) {
                bytes += PART + ROOM * length(expression);
            }
        }
        return bytes;
    }

    private static int length(@Nullable String text) {
        return text == null ? 0 : text.length();
    }

    /**
     * One phase: a rate or users, held or moving evenly from one to another.
     *
     * @param seconds how long it takes, 0.1..86400
     * @param warmUp whether the load runs, but does not count; such phases come first; default false
     * @param ratePerSecond arrivals a second, 0..5000; at its begin, if there is {@code toRatePerSecond}
     * @param toRatePerSecond at its end
     * @param users who send requests and wait, 0..1000; all phases have rates, or all have users
     * @param toUsers at its end
     */
    @Schema(name = "WorkloadPhase")
    record WorkloadPhaseRequest(
            @NotNull(message = "is missing") @Schema(minimum = "0.1", maximum = "86400")
            Double seconds,

            @Nullable Boolean warmUp,

            @Schema(minimum = "0", maximum = "5000") @Nullable
            Double ratePerSecond,

            @Schema(minimum = "0", maximum = "5000") @Nullable
            Double toRatePerSecond,

            @Schema(minimum = "0", maximum = "1000") @Nullable
            Integer users,

            @Schema(minimum = "0", maximum = "1000") @Nullable
            Integer toUsers) {

        boolean isWarmUp() {
            return Boolean.TRUE.equals(warmUp);
        }
    }

    /**
     * One kind of transaction: statements with parameters, or a script of pgbench.
     *
     * @param weight its share is this over the sum of all; default 1
     * @param parameters expressions by their names, computed in this order before the first statement
     * @param statements together they are one database transaction
     * @param thinkMs the mean time between two statements, for which the connection is held
     * @param script in place of parameters and statements
     */
    @Schema(name = "WorkloadTransaction")
    record WorkloadTransactionRequest(
            @NotNull(message = "is missing") @Size(min = 1, max = 63, message = "must have 1 to 63 characters")
            String name,

            @Range(min = 0, max = 1_000_000) @Nullable Integer weight,

            @Size(max = 100, message = "must be at most 100") @Nullable
            Map<
                            @Pattern(regexp = "^[A-Za-z_][A-Za-z0-9_]{0,62}$", message = "must be a name") String,
                            @NotNull(message = "is missing")
                            @Size(max = 1_000, message = "must have at most 1,000 characters") String>
                    parameters,

            @Size(min = 1, max = 100, message = "must be 1 to 100") @Nullable
            List<@NotNull(message = "is missing") String> statements,

            @Range(min = 0, max = 60_000) @Nullable Double thinkMs,
            @Nullable String script) {}
}
