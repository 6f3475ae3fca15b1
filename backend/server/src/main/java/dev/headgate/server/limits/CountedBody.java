package dev.headgate.server.limits;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** A request that tells how much of its body is read, as it is read. */
final class CountedBody extends HttpServletRequestWrapper {

    /** Is told after each read. What it throws, the reader gets. */
    interface Counter {
        /**
         * @param bytes with what was read, from {@code offset} on
         * @param count 0 at the end of the body
         */
        void read(byte[] bytes, int offset, int count);
    }

    private final Counter counter;
    private @Nullable ServletInputStream body;

    CountedBody(HttpServletRequest request, Counter counter) {
        super(request);
        this.counter = counter;
    }

    /** Whether a request says that it has a body. */
    static boolean isIn(HttpServletRequest request) {
        return request.getContentLengthLong() > 0 || request.getHeader("Transfer-Encoding") != null;
    }

    @Override
    public ServletInputStream getInputStream() throws IOException {
        if (body == null) {
            body = new Counting(super.getInputStream(), counter);
        }
        return body;
    }

    @Override
    public BufferedReader getReader() throws IOException {
        return new BufferedReader(new InputStreamReader(getInputStream(), StandardCharsets.UTF_8));
    }

    private static final class Counting extends ServletInputStream {

        private final ServletInputStream body;
        private final Counter counter;

        Counting(ServletInputStream body, Counter counter) {
            this.body = body;
            this.counter = counter;
        }

        @Override
        public int read() throws IOException {
            int value = body.read();
            counter.read(new byte[] {(byte) value}, 0, value < 0 ? 0 : 1);
            return value;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            int count = body.read(bytes, offset, length);
            counter.read(bytes, offset, Math.max(count, 0));
            return count;
        }

        @Override
        public boolean isFinished() {
            return body.isFinished();
        }

        @Override
        public boolean isReady() {
            return body.isReady();
        }

        @Override
        public void setReadListener(ReadListener listener) {
            body.setReadListener(listener);
        }
    }
}
