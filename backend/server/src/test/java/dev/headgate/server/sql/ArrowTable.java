package dev.headgate.server.sql;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.apache.arrow.vector.ipc.ReadChannel;
import org.apache.arrow.vector.ipc.message.MessageChannelReader;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * An Arrow stream as Arrow's own reader reads it.
 *
 * @param rows the values as the texts of Arrow's objects, bytes in hexadecimal, null for null
 */
record ArrowTable(Schema schema, List<List<@Nullable String>> rows) {

    /** Reads into Arrow's buffers by a copy: its own way needs a JVM option. */
    private static final class Copying extends ReadChannel {
        Copying(ReadableByteChannel in) {
            super(in);
        }

        @Override
        public long readFully(ArrowBuf buffer, long length) throws IOException {
            ByteBuffer copy = ByteBuffer.allocate((int) length);
            int count = readFully(copy);
            buffer.setBytes(0, copy.array(), 0, count);
            buffer.writerIndex(count);
            return count;
        }
    }

    static ArrowTable read(byte[] stream, BufferAllocator memory) throws IOException {
        ReadableByteChannel bytes = Channels.newChannel(new ByteArrayInputStream(stream));
        try (ArrowStreamReader reader =
                new ArrowStreamReader(new MessageChannelReader(new Copying(bytes), memory), memory)) {
            List<List<@Nullable String>> rows = new ArrayList<>();
            Schema schema = reader.getVectorSchemaRoot().getSchema();
            while (reader.loadNextBatch()) {
                List<FieldVector> vectors = reader.getVectorSchemaRoot().getFieldVectors();
                for (int row = 0; row < reader.getVectorSchemaRoot().getRowCount(); row++) {
                    List<@Nullable String> values = new ArrayList<>();
                    for (FieldVector vector : vectors) {
                        values.add(text(vector.getObject(row)));
                    }
                    rows.add(values);
                }
            }
            return new ArrowTable(schema, rows);
        }
    }

    private static @Nullable String text(@Nullable Object value) {
        return value == null
                ? null
                : value instanceof byte[] raw ? HexFormat.of().formatHex(raw) : value.toString();
    }
}
