package dev.headgate.server.problems;

import tools.jackson.core.JsonParser;
import tools.jackson.databind.exc.MismatchedInputException;

/**
 * A text of a body holds one half of a surrogate pair without the other. JSON and YAML have escapes for it, and UTF-8 has no form: its
 * encoder puts a question mark in its place, so the text would be kept as another one.
 */
public final class HalfCharacter extends MismatchedInputException {

    private static final long serialVersionUID = 1;

    public HalfCharacter(JsonParser parser) {
        super(parser, "half of a surrogate pair");
    }

    /** What is wrong with such a text, as a fault at its place says it. */
    public static Fault at(String pointer) {
        return Fault.at(pointer, "holds one half of a surrogate pair without the other", "whole characters");
    }
}
