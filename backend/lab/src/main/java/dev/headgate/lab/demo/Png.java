package dev.headgate.lab.demo;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/**
 * Writes PNG files of 8 bits for each of red, green and blue, without a palette. Done here because AWT and ImageIO would
 * load a graphics library at the demo's start.
 */
final class Png {

    private static final long SIGNATURE = 0x89504E470D0A1A0AL;
    private static final int CHANNELS = 3;
    private static final byte BITS = 8;
    private static final byte TRUE_COLOUR = 2;

    private Png() {}

    /** @param rgb rows from the top, pixels from the left, three bytes each */
    static byte[] encode(int width, int height, byte[] rgb) {
        byte[] header = ByteBuffer.allocate(13)
                .putInt(width)
                .putInt(height)
                .put(BITS)
                .put(TRUE_COLOUR)
                .array();
        byte[] pixels = deflate(lines(width, height, rgb));
        ByteBuffer file = ByteBuffer.allocate(8 + 3 * 12 + header.length + pixels.length);
        file.putLong(SIGNATURE);
        chunk(file, "IHDR", header);
        chunk(file, "IDAT", pixels);
        chunk(file, "IEND", new byte[0]);
        return file.array();
    }

    /** Each row begins with a byte that names its filter: 0, none. */
    private static byte[] lines(int width, int height, byte[] rgb) {
        int row = width * CHANNELS;
        byte[] lines = new byte[height * (1 + row)];
        for (int y = 0; y < height; y++) {
            System.arraycopy(rgb, y * row, lines, y * (1 + row) + 1, row);
        }
        return lines;
    }

    private static byte[] deflate(byte[] bytes) {
        try (Deflater deflater = new Deflater(Deflater.BEST_SPEED)) {
            deflater.setInput(bytes);
            deflater.finish();
            ByteArrayOutputStream deflated = new ByteArrayOutputStream(bytes.length / 4);
            byte[] piece = new byte[8_192];
            while (!deflater.finished()) {
                deflated.write(piece, 0, deflater.deflate(piece));
            }
            return deflated.toByteArray();
        }
    }

    private static void chunk(ByteBuffer file, String type, byte[] data) {
        byte[] name = type.getBytes(StandardCharsets.US_ASCII);
        CRC32 crc = new CRC32();
        crc.update(name);
        crc.update(data);
        file.putInt(data.length).put(name).put(data).putInt((int) crc.getValue());
    }
}
