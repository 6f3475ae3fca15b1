package dev.headgate.lab.web;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Finds the end of an HTTP answer among bytes that arrive bit by bit, and keeps its status. It keeps no other byte, so thousands of
 * them cost little. Belongs to one thread.
 */
final class HttpAnswer {

    private static final String LENGTH = "content-length:";

    private enum Part {
        STATUS,
        HEADERS,
        BODY,
        CHUNK_SIZE,
        CHUNK,
        CHUNK_END,
        TRAILERS
    }

    private final StringBuilder line = new StringBuilder();
    private Part part = Part.STATUS;
    private int status;
    private boolean sized;
    private long left;

    /** The status of the answer that has come last. */
    int status() {
        return status;
    }

    /**
     * Takes bytes of an answer. After its last one the next answer begins.
     *
     * @return whether the answer is complete
     * @throws IOException for bytes that are no answer, or that follow a complete one
     */
    boolean take(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            if (part == Part.BODY || part == Part.CHUNK) {
                int count = (int) Math.min(left, bytes.remaining());
                bytes.position(bytes.position() + count);
                left -= count;
                if (left == 0) {
                    part = part == Part.CHUNK ? Part.CHUNK_END : Part.STATUS;
                }
            } else {
                byte next = bytes.get();
                if (next == '\n') {
                    endLine();
                    line.setLength(0);
                } else if (next != '\r') {
                    line.append((char) next);
                }
            }
            if (part == Part.STATUS && line.isEmpty()) {
                if (bytes.hasRemaining()) {
                    throw new IOException("bytes follow the answer");
                }
                return true;
            }
        }
        return false;
    }

    private void endLine() throws IOException {
        try {
            switch (part) {
                case STATUS -> {
                    status = Integer.parseInt(line, 9, 12, 10);
                    sized = false;
                    left = 0;
                    part = Part.HEADERS;
                }
                case HEADERS -> header();
                case CHUNK_SIZE -> {
                    left = Long.parseLong(line, 0, line.length(), 16);
                    part = left == 0 ? Part.TRAILERS : Part.CHUNK;
                }
                case CHUNK_END -> part = Part.CHUNK_SIZE;
                case TRAILERS -> part = line.isEmpty() ? Part.STATUS : Part.TRAILERS;
                case BODY, CHUNK -> throw new IllegalStateException("has no lines");
            }
        } catch (NumberFormatException | IndexOutOfBoundsException e) {
            throw new IOException("this is no answer: " + line, e);
        }
    }

    private void header() {
        if (line.isEmpty()) {
            part = !sized ? Part.CHUNK_SIZE : left == 0 ? Part.STATUS : Part.BODY;
        } else if (line.length() > LENGTH.length()
                && line.substring(0, LENGTH.length()).equalsIgnoreCase(LENGTH)) {
            left = Long.parseLong(line.substring(LENGTH.length()).strip());
            sized = true;
        }
    }
}
