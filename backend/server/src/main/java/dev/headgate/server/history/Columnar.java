package dev.headgate.server.history;

import java.util.Arrays;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/**
 * Whole numbers, each in as few bytes as it needs, seven bits to a byte. The writer's bytes are deflated, and a reader inflates
 * them.
 */
final class Columnar {

    private Columnar() {}

    /** Puts numbers one after the other. */
    static final class Writer {
        private byte[] bytes = new byte[4_096];
        private int size;

        /** A number as if it had no sign; a small one takes one byte. */
        void put(long number) {
            if (size + 10 > bytes.length) {
                bytes = Arrays.copyOf(bytes, 2 * bytes.length);
            }
            long rest = number;
            while ((rest & ~0x7fL) != 0) {
                bytes[size++] = (byte) (rest | 0x80);
                rest >>>= 7;
            }
            bytes[size++] = (byte) rest;
        }

        /** Any number; one near 0 takes one byte. */
        void putSigned(long number) {
            put((number << 1) ^ (number >> 63));
        }

        /** What was put, deflated, after a byte that names the version. */
        byte[] deflated(byte version) {
            Deflater deflater = new Deflater(Deflater.DEFAULT_COMPRESSION, true);
            try {
                deflater.setInput(bytes, 0, size);
                deflater.finish();
                byte[] made = new byte[size + size / 1_000 + 32];
                made[0] = version;
                int length = 1;
                while (!deflater.finished()) {
                    length += deflater.deflate(made, length, made.length - length);
                    if (length == made.length) {
                        made = Arrays.copyOf(made, 2 * length);
                    }
                }
                return Arrays.copyOf(made, length);
            } finally {
                deflater.end();
            }
        }
    }

    /** Gives the numbers back in the same order. */
    static final class Reader {
        private final byte[] bytes;
        private final int size;
        private int at;

        /**
         * @param deflated what {@link Writer#deflated} made
         * @param most bytes that it may inflate to
         * @throws IllegalArgumentException if the bytes are no such thing
         */
        Reader(byte[] deflated, int most) {
            Inflater inflater = new Inflater(true);
            try {
                inflater.setInput(deflated, 1, deflated.length - 1);
                byte[] made = new byte[Math.min(most, 4 * deflated.length + 64)];
                int length = 0;
                while (!inflater.finished()) {
                    int more = inflater.inflate(made, length, made.length - length);
                    length += more;
                    if (length == made.length) {
                        if (length == most) {
                            throw new IllegalArgumentException("more than " + most + " bytes");
                        }
                        made = Arrays.copyOf(made, Math.min(most, 2 * length));
                    } else if (more == 0 && (inflater.needsInput() || inflater.needsDictionary())) {
                        throw new IllegalArgumentException("cut off");
                    }
                }
                bytes = made;
                size = length;
            } catch (DataFormatException e) {
                throw new IllegalArgumentException("not deflated", e);
            } finally {
                inflater.end();
            }
        }

        long next() {
            long number = 0;
            for (int shift = 0; shift < Long.SIZE; shift += 7) {
                if (at == size) {
                    throw new IllegalArgumentException("cut off");
                }
                byte part = bytes[at++];
                number |= (long) (part & 0x7f) << shift;
                if (part >= 0) {
                    return number;
                }
            }
            throw new IllegalArgumentException("not a number");
        }

        long nextSigned() {
            long number = next();
            return (number >>> 1) ^ -(number & 1);
        }

        /** @throws IllegalArgumentException if the number is {@code end} or more */
        int nextBelow(int end) {
            long number = next();
            if (number < 0 || number >= end) {
                throw new IllegalArgumentException(number + " where less than " + end + " is due");
            }
            return (int) number;
        }

        boolean isAtEnd() {
            return at == size;
        }
    }
}
