package dev.headgate.server.problems;

import dev.headgate.sql.Query;
import java.util.Optional;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.exc.MismatchedInputException;

/**
 * A text of a body cannot be kept as it is. PostgreSQL's texts hold no NUL. And UTF-8 has no form for one half of a surrogate pair: its
 * encoder puts a question mark in its place, so the text would be kept as another one. JSON and YAML have escapes for both.
 */
public final class UnkeptText extends MismatchedInputException {

    private static final long serialVersionUID = 1;

    private final transient Fault fault;

    private UnkeptText(JsonParser parser, Fault fault) {
        super(parser, fault.message());
        this.fault = fault;
    }

    /** @throws UnkeptText if a text that was just read cannot be kept */
    public static void refuse(JsonParser parser, String text) {
        Optional<Fault> fault = fault("", text);
        if (fault.isPresent()) {
            throw new UnkeptText(parser, fault.get());
        }
    }

    /** Why a text cannot be kept, as a fault at its place; empty if it can. */
    public static Optional<Fault> fault(String pointer, String text) {
        if (text.indexOf('\0') >= 0) {
            return Optional.of(Fault.at(pointer, "holds a NUL character", "a text without it"));
        }
        return Query.hasHalfCharacter(text)
                ? Optional.of(
                        Fault.at(pointer, "holds one half of a surrogate pair without the other", "whole characters"))
                : Optional.empty();
    }

    Fault at(String pointer) {
        return fault.under(pointer);
    }
}
