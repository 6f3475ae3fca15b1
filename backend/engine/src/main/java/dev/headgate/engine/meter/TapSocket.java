package dev.headgate.engine.meter;

import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A socket that reports its bytes to a meter. When TLS starts, its bytes are encrypted and no longer reported; the streams
 * above the TLS layer are tapped instead (see {@link TapSslSocket}).
 */
final class TapSocket extends NonBlockingSocket implements TappedSocket {

    private final ConnectionMeter meter;
    private final Consumer<TappedSocket> onEncrypted;
    private final Runnable onClose;
    private final ProtocolTap tap;
    private @Nullable InputStream input;
    private @Nullable OutputStream output;
    private volatile boolean encrypted;

    /** @param onClose called at every {@link #close} */
    TapSocket(ConnectionMeter meter, Consumer<TappedSocket> onEncrypted, Runnable onClose) throws IOException {
        this.meter = meter;
        this.onEncrypted = onEncrypted;
        this.onClose = onClose;
        this.tap = newTap(meter);
    }

    ConnectionMeter meter() {
        return meter;
    }

    /** TLS starts: the given socket uses this one from now on. */
    void encrypted(TappedSocket above) {
        encrypted = true;
        readLargeAhead();
        onEncrypted.accept(above);
    }

    static ProtocolTap newTap(ConnectionMeter meter) {
        return new ProtocolTap(new ProtocolTap.Listener() {
            @Override
            public void requestBegan() {
                meter.requestBegan();
            }

            @Override
            public void requestEnded(boolean failed, byte transactionStatus) {
                meter.requestEnded(failed, transactionStatus);
            }

            @Override
            public void noticed() {
                meter.noticed();
            }
        });
    }

    @Override
    public Socket socket() {
        return this;
    }

    @Override
    public int read(byte[] bytes, int offset, int count) throws IOException {
        int got = tryRead(bytes, offset, count);
        if (got > 0) {
            meter.read(got);
            tap.read(bytes, offset, got);
        }
        return got;
    }

    @Override
    public void settled() {
        tap.settled();
    }

    @Override
    public boolean mayHoldMore() {
        return false;
    }

    @Override
    public int write(byte[] bytes, int offset, int count) throws IOException {
        int taken = tryWrite(bytes, offset, count);
        if (taken > 0) {
            meter.written(taken);
            tap.written(bytes, offset, taken);
        }
        return taken;
    }

    @Override
    public boolean flush() throws IOException {
        return flushUnsent();
    }

    @Override
    public synchronized InputStream getInputStream() throws IOException {
        if (input == null) {
            input = new Input(super.getInputStream(), meter, tap) {
                @Override
                boolean passesUnseen() {
                    return encrypted;
                }
            };
        }
        return input;
    }

    @Override
    public synchronized OutputStream getOutputStream() throws IOException {
        if (output == null) {
            output = new Output(super.getOutputStream(), meter, tap) {
                @Override
                boolean passesUnseen() {
                    return encrypted;
                }
            };
        }
        return output;
    }

    @Override
    public void close() throws IOException {
        try {
            super.close();
        } finally {
            onClose.run();
        }
    }

    /** Reports the bytes that are read, and keeps to the {@link AnswerBound} of a login and of the reader. */
    static class Input extends FilterInputStream {
        private final ConnectionMeter meter;
        private final ProtocolTap tap;

        Input(InputStream in, ConnectionMeter meter, ProtocolTap tap) {
            super(in);
            this.meter = meter;
            this.tap = tap;
        }

        boolean passesUnseen() {
            return false;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int offset, int count) throws IOException {
            int got = in.read(bytes, offset, count);
            if (got > 0 && !passesUnseen()) {
                meter.read(got);
                tap.read(bytes, offset, got);
                long most = tap.isLoggedIn() ? AnswerBound.MOST_BYTES.orElse(Long.MAX_VALUE) : AnswerBound.OF_LOGIN;
                if (tap.answered() > most) {
                    throw new AnswerBound.TooLongException(most);
                }
            }
            return got;
        }

        @Override
        public long skip(long count) throws IOException {
            byte[] skipped = new byte[(int) Math.min(count, 8192)];
            return Math.max(0, read(skipped, 0, skipped.length));
        }
    }

    /** Reports the bytes that are written. */
    static class Output extends FilterOutputStream {
        private final ConnectionMeter meter;
        private final ProtocolTap tap;

        Output(OutputStream out, ConnectionMeter meter, ProtocolTap tap) {
            super(out);
            this.meter = meter;
            this.tap = tap;
        }

        boolean passesUnseen() {
            return false;
        }

        @Override
        public void write(int single) throws IOException {
            write(new byte[] {(byte) single}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int count) throws IOException {
            if (!passesUnseen()) {
                meter.written(count);
                tap.written(bytes, offset, count);
            }
            out.write(bytes, offset, count);
        }

        @Override
        public void close() throws IOException {
            out.close();
        }
    }
}
