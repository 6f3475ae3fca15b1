package dev.headgate.engine.governor;

import dev.headgate.spi.Limits;
import java.util.List;
import java.util.Optional;

/**
 * What a shadow set would do, beside what the live one does.
 *
 * @param shadow the limits it would put in force
 * @param live the limits in force when it was last asked
 * @param answers what each of its policies answered
 * @param steps how often it was asked
 * @param differed how many of these times it would have held other limits
 * @param degraded why an old answer of it stands in for a fresh one, if one does
 */
public record ShadowStatus(
        Limits shadow, Limits live, List<Answer> answers, long steps, long differed, Optional<String> degraded) {}
