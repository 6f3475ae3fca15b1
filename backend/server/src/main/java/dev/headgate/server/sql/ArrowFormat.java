package dev.headgate.server.sql;

import dev.headgate.sql.Column;
import dev.headgate.sql.Rows;
import dev.headgate.sql.SqlFailure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.time.DateTimeException;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.OutOfMemoryException;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.apache.arrow.vector.ipc.WriteChannel;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.ipc.message.IpcOption;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * An Arrow IPC stream (Apache Arrow, "Streaming and IPC Format"): the schema, a record batch for each piece of rows that arrives (16 KB
 * of them, or what there is), and the end-of-stream marker. It has no place for an error: an answer without the marker is
 * incomplete. The vectors are outside the heap, and bounded by the allocator.
 */
final class ArrowFormat implements AnswerFormat {

    private final Sink out;
    private final BufferAllocator memory;
    private final WriteChannel channel;
    private @Nullable VectorSchemaRoot root;

    /** @param memory a child of the service's, which this closes */
    ArrowFormat(Sink out, BufferAllocator memory) {
        this.out = out;
        this.memory = memory;
        this.channel = new Channel(out);
    }

    @Override
    public void columns(int statement, List<Column> columns) {
        Schema schema = new Schema(columns.stream().map(ArrowTypes::field).toList());
        root = VectorSchemaRoot.create(schema, memory);
        try {
            MessageSerializer.serialize(channel, schema);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void rows(Rows rows) {
        VectorSchemaRoot batch = root;
        if (batch == null) {
            throw new IllegalStateException("rows come after their columns");
        }
        try {
            fill(batch, rows);
            try (ArrowRecordBatch record = new VectorUnloader(batch).getRecordBatch()) {
                MessageSerializer.serialize(channel, record);
            }
            batch.clear();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (DateTimeException | ArithmeticException e) {
            throw broken(SqlFailure.of("22008", String.valueOf(e.getMessage())));
        } catch (IllegalArgumentException e) { // a value in a form that a setting of its session chose
            throw broken(SqlFailure.of("22008", "Arrow has no place for a value: " + e.getMessage()));
        } catch (OutOfMemoryException e) {
            throw broken(SqlFailure.of("53200", "there is no memory for an Arrow batch now"));
        }
    }

    private static void fill(VectorSchemaRoot batch, Rows rows) {
        List<FieldVector> vectors = batch.getFieldVectors();
        byte[] bytes = rows.bytes();
        int row = 0;
        for (; rows.next(); row++) {
            for (int i = 0; i < vectors.size(); i++) {
                int length = rows.length(i);
                if (length >= 0) {
                    ArrowTypes.set(vectors.get(i), row, bytes, rows.offset(i), length);
                }
            }
        }
        batch.setRowCount(row);
    }

    private RuntimeException broken(SqlFailure why) {
        return out.isOpen() ? new SqlRun.BrokenOff() : new SqlRun.Failed(why, null);
    }

    @Override
    public void done(int statement, String tag, long rows, boolean limited) {
        // the batches say it
    }

    @Override
    public boolean failed(@Nullable Integer statement, SqlFailure why) {
        return false;
    }

    @Override
    public void end(Ending ending) {
        try {
            ArrowStreamWriter.writeEndOfStream(channel, IpcOption.DEFAULT);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        if (root != null) {
            root.close();
        }
        memory.close();
    }

    /** To the sink. Arrow's own way from its buffers needs a JVM option that opens java.nio; copying them does not. */
    private static final class Channel extends WriteChannel {

        private final byte[] copy = new byte[8 * 1024];

        Channel(Sink out) {
            super(new ToSink(out));
        }

        @Override
        public void write(ArrowBuf buffer) throws IOException {
            long end = buffer.writerIndex();
            for (long at = buffer.readerIndex(); at < end; at += copy.length) {
                int count = (int) Math.min(copy.length, end - at);
                buffer.getBytes(at, copy, 0, count);
                write(ByteBuffer.wrap(copy, 0, count));
            }
        }
    }

    private record ToSink(Sink out) implements WritableByteChannel {

        @Override
        public int write(ByteBuffer from) {
            int count = from.remaining();
            if (from.hasArray()) {
                out.write(from.array(), from.arrayOffset() + from.position(), count);
                from.position(from.limit());
            } else {
                byte[] copy = new byte[count];
                from.get(copy);
                out.write(copy, 0, count);
            }
            return count;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {
            // the sink goes on
        }
    }
}
