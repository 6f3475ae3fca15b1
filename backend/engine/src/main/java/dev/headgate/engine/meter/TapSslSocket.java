package dev.headgate.engine.meter;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.function.BiFunction;
import javax.net.ssl.HandshakeCompletedListener;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * A TLS socket that reports the decrypted bytes to a meter. It delegates everything except its two streams and the
 * non-blocking methods. These use the same streams over a socket that does not block ({@link NonBlockingSocket#relaying}).
 */
@SuppressWarnings("UnsynchronizedOverridesSynchronized") // the wrapped socket does its own locking
final class TapSslSocket extends SSLSocket implements TappedSocket {

    /** The content of one TLS record. The socket beneath keeps the part that it cannot send yet. */
    private static final int LARGEST_WRITE = 16 * 1024;

    private final SSLSocket socket;
    private final TapSocket beneath;
    private final ConnectionMeter meter;
    private final ProtocolTap tap;
    private @Nullable InputStream input;
    private @Nullable OutputStream output;

    TapSslSocket(SSLSocket socket, TapSocket beneath) {
        this.socket = socket;
        this.beneath = beneath;
        this.meter = beneath.meter();
        this.tap = TapSocket.newTap(meter);
    }

    @Override
    public Socket socket() {
        return this;
    }

    @Override
    public SocketChannel channel() {
        return beneath.channel();
    }

    @Override
    public int read(byte[] bytes, int offset, int count) throws IOException {
        beneath.relaying(true);
        try {
            return getInputStream().read(bytes, offset, count);
        } catch (SocketTimeoutException nothingNow) {
            return 0;
        } finally {
            beneath.relaying(false);
        }
    }

    @Override
    public void settled() {
        tap.settled();
    }

    @Override
    public boolean mayHoldMore() {
        return true;
    }

    @Override
    public int write(byte[] bytes, int offset, int count) throws IOException {
        if (!beneath.flushUnsent()) {
            return 0;
        }
        int taken = Math.min(count, LARGEST_WRITE);
        beneath.relaying(true);
        try {
            getOutputStream().write(bytes, offset, taken);
            return taken;
        } finally {
            beneath.relaying(false);
        }
    }

    @Override
    public boolean flush() throws IOException {
        return beneath.flushUnsent();
    }

    @Override
    public boolean hasEnded() {
        return beneath.hasEnded();
    }

    @Override
    public synchronized InputStream getInputStream() throws IOException {
        if (input == null) {
            input = new TapSocket.Input(socket.getInputStream(), meter, tap);
        }
        return input;
    }

    @Override
    public synchronized OutputStream getOutputStream() throws IOException {
        if (output == null) {
            output = new TapSocket.Output(socket.getOutputStream(), meter, tap);
        }
        return output;
    }

    @Override
    public String[] getSupportedCipherSuites() {
        return socket.getSupportedCipherSuites();
    }

    @Override
    public String[] getEnabledCipherSuites() {
        return socket.getEnabledCipherSuites();
    }

    @Override
    public void setEnabledCipherSuites(String[] suites) {
        socket.setEnabledCipherSuites(suites);
    }

    @Override
    public String[] getSupportedProtocols() {
        return socket.getSupportedProtocols();
    }

    @Override
    public String[] getEnabledProtocols() {
        return socket.getEnabledProtocols();
    }

    @Override
    public void setEnabledProtocols(String[] protocols) {
        socket.setEnabledProtocols(protocols);
    }

    @Override
    public SSLSession getSession() {
        return socket.getSession();
    }

    @Override
    public SSLSession getHandshakeSession() {
        return socket.getHandshakeSession();
    }

    @Override
    public void addHandshakeCompletedListener(HandshakeCompletedListener listener) {
        socket.addHandshakeCompletedListener(listener);
    }

    @Override
    public void removeHandshakeCompletedListener(HandshakeCompletedListener listener) {
        socket.removeHandshakeCompletedListener(listener);
    }

    @Override
    public void startHandshake() throws IOException {
        socket.startHandshake();
    }

    @Override
    public void setUseClientMode(boolean mode) {
        socket.setUseClientMode(mode);
    }

    @Override
    public boolean getUseClientMode() {
        return socket.getUseClientMode();
    }

    @Override
    public void setNeedClientAuth(boolean need) {
        socket.setNeedClientAuth(need);
    }

    @Override
    public boolean getNeedClientAuth() {
        return socket.getNeedClientAuth();
    }

    @Override
    public void setWantClientAuth(boolean want) {
        socket.setWantClientAuth(want);
    }

    @Override
    public boolean getWantClientAuth() {
        return socket.getWantClientAuth();
    }

    @Override
    public void setEnableSessionCreation(boolean flag) {
        socket.setEnableSessionCreation(flag);
    }

    @Override
    public boolean getEnableSessionCreation() {
        return socket.getEnableSessionCreation();
    }

    @Override
    public SSLParameters getSSLParameters() {
        return socket.getSSLParameters();
    }

    @Override
    public void setSSLParameters(SSLParameters parameters) {
        socket.setSSLParameters(parameters);
    }

    @Override
    public String getApplicationProtocol() {
        return socket.getApplicationProtocol();
    }

    @Override
    public String getHandshakeApplicationProtocol() {
        return socket.getHandshakeApplicationProtocol();
    }

    @Override
    public void setHandshakeApplicationProtocolSelector(BiFunction<SSLSocket, List<String>, String> selector) {
        socket.setHandshakeApplicationProtocolSelector(selector);
    }

    @Override
    public BiFunction<SSLSocket, List<String>, String> getHandshakeApplicationProtocolSelector() {
        return socket.getHandshakeApplicationProtocolSelector();
    }

    @Override
    public void connect(SocketAddress address) throws IOException {
        socket.connect(address);
    }

    @Override
    public void connect(SocketAddress address, int timeoutMillis) throws IOException {
        socket.connect(address, timeoutMillis);
    }

    @Override
    public void bind(SocketAddress address) throws IOException {
        socket.bind(address);
    }

    @Override
    public InetAddress getInetAddress() {
        return socket.getInetAddress();
    }

    @Override
    public InetAddress getLocalAddress() {
        return socket.getLocalAddress();
    }

    @Override
    public int getPort() {
        return socket.getPort();
    }

    @Override
    public int getLocalPort() {
        return socket.getLocalPort();
    }

    @Override
    public SocketAddress getRemoteSocketAddress() {
        return socket.getRemoteSocketAddress();
    }

    @Override
    public SocketAddress getLocalSocketAddress() {
        return socket.getLocalSocketAddress();
    }

    @Override
    public SocketChannel getChannel() {
        return socket.getChannel();
    }

    @Override
    public void setTcpNoDelay(boolean on) throws SocketException {
        socket.setTcpNoDelay(on);
    }

    @Override
    public boolean getTcpNoDelay() throws SocketException {
        return socket.getTcpNoDelay();
    }

    @Override
    public void setSoLinger(boolean on, int seconds) throws SocketException {
        socket.setSoLinger(on, seconds);
    }

    @Override
    public int getSoLinger() throws SocketException {
        return socket.getSoLinger();
    }

    @Override
    public void sendUrgentData(int data) throws IOException {
        socket.sendUrgentData(data);
    }

    @Override
    public void setOOBInline(boolean on) throws SocketException {
        socket.setOOBInline(on);
    }

    @Override
    public boolean getOOBInline() throws SocketException {
        return socket.getOOBInline();
    }

    @Override
    public void setSoTimeout(int millis) throws SocketException {
        socket.setSoTimeout(millis);
    }

    @Override
    public int getSoTimeout() throws SocketException {
        return socket.getSoTimeout();
    }

    @Override
    public void setSendBufferSize(int size) throws SocketException {
        socket.setSendBufferSize(size);
    }

    @Override
    public int getSendBufferSize() throws SocketException {
        return socket.getSendBufferSize();
    }

    @Override
    public void setReceiveBufferSize(int size) throws SocketException {
        socket.setReceiveBufferSize(size);
    }

    @Override
    public int getReceiveBufferSize() throws SocketException {
        return socket.getReceiveBufferSize();
    }

    @Override
    public void setKeepAlive(boolean on) throws SocketException {
        socket.setKeepAlive(on);
    }

    @Override
    public boolean getKeepAlive() throws SocketException {
        return socket.getKeepAlive();
    }

    @Override
    public void setTrafficClass(int trafficClass) throws SocketException {
        socket.setTrafficClass(trafficClass);
    }

    @Override
    public int getTrafficClass() throws SocketException {
        return socket.getTrafficClass();
    }

    @Override
    public void setReuseAddress(boolean on) throws SocketException {
        socket.setReuseAddress(on);
    }

    @Override
    public boolean getReuseAddress() throws SocketException {
        return socket.getReuseAddress();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    @Override
    public void shutdownInput() throws IOException {
        socket.shutdownInput();
    }

    @Override
    public void shutdownOutput() throws IOException {
        socket.shutdownOutput();
    }

    @Override
    public String toString() {
        return socket.toString();
    }

    @Override
    public boolean isConnected() {
        return socket.isConnected();
    }

    @Override
    public boolean isBound() {
        return socket.isBound();
    }

    @Override
    public boolean isClosed() {
        return socket.isClosed();
    }

    @Override
    public boolean isInputShutdown() {
        return socket.isInputShutdown();
    }

    @Override
    public boolean isOutputShutdown() {
        return socket.isOutputShutdown();
    }
}
