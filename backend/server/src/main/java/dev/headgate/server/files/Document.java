package dev.headgate.server.files;

import dev.headgate.server.problems.Fault;
import tools.jackson.databind.JsonNode;

/**
 * One YAML document as JSON, with the line of each value.
 *
 * @param file the file's name
 */
record Document(String file, JsonNode root, Lines lines) {

    /** A fault of this document, with the file and line of its pointer or, if nothing is written there, of the enclosing value. */
    Fault locate(Fault fault) {
        return fault.foundAt(place(fault.pointer()));
    }

    /** File and line ("pools/bank.yaml:12"). */
    String place(String pointer) {
        return file + ":" + lines.at(pointer);
    }
}
