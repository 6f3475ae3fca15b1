package dev.headgate.engine.meter;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.nio.channels.SocketChannel;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The addresses, options and state of a socket over a channel: all that the channel, or the JDK's own socket over it, answers. Streams,
 * connecting and closing are the heir's. Any thread may call it.
 */
@SuppressWarnings("UnsynchronizedOverridesSynchronized") // the channel does its own locking
abstract class SocketOverChannel extends Socket {

    final SocketChannel channel;
    private final Socket options;

    SocketOverChannel(SocketChannel channel) {
        this.channel = channel;
        this.options = channel.socket();
    }

    @Override
    public SocketChannel getChannel() {
        return channel;
    }

    @Override
    public void bind(@Nullable SocketAddress from) throws IOException {
        channel.bind(from);
    }

    @Override
    public InetAddress getInetAddress() {
        return options.getInetAddress();
    }

    @Override
    public InetAddress getLocalAddress() {
        return options.getLocalAddress();
    }

    @Override
    public int getPort() {
        return options.getPort();
    }

    @Override
    public int getLocalPort() {
        return options.getLocalPort();
    }

    @Override
    public @Nullable SocketAddress getRemoteSocketAddress() {
        return options.getRemoteSocketAddress();
    }

    @Override
    public SocketAddress getLocalSocketAddress() {
        return options.getLocalSocketAddress();
    }

    @Override
    public <T> Socket setOption(SocketOption<T> option, T value) throws IOException {
        channel.setOption(option, value);
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> option) throws IOException {
        return channel.getOption(option);
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return channel.supportedOptions();
    }

    @Override
    public void setTcpNoDelay(boolean on) throws SocketException {
        options.setTcpNoDelay(on);
    }

    @Override
    public boolean getTcpNoDelay() throws SocketException {
        return options.getTcpNoDelay();
    }

    @Override
    public void setKeepAlive(boolean on) throws SocketException {
        options.setKeepAlive(on);
    }

    @Override
    public boolean getKeepAlive() throws SocketException {
        return options.getKeepAlive();
    }

    @Override
    public void setSoLinger(boolean on, int linger) throws SocketException {
        options.setSoLinger(on, linger);
    }

    @Override
    public int getSoLinger() throws SocketException {
        return options.getSoLinger();
    }

    @Override
    public void setSendBufferSize(int size) throws SocketException {
        options.setSendBufferSize(size);
    }

    @Override
    public int getSendBufferSize() throws SocketException {
        return options.getSendBufferSize();
    }

    @Override
    public void setReceiveBufferSize(int size) throws SocketException {
        options.setReceiveBufferSize(size);
    }

    @Override
    public int getReceiveBufferSize() throws SocketException {
        return options.getReceiveBufferSize();
    }

    @Override
    public void shutdownInput() throws IOException {
        channel.shutdownInput();
    }

    @Override
    public void shutdownOutput() throws IOException {
        channel.shutdownOutput();
    }

    @Override
    public boolean isConnected() {
        return options.isConnected();
    }

    @Override
    public boolean isBound() {
        return options.isBound();
    }

    @Override
    public boolean isClosed() {
        return !channel.isOpen();
    }

    @Override
    public boolean isInputShutdown() {
        return options.isInputShutdown();
    }

    @Override
    public boolean isOutputShutdown() {
        return options.isOutputShutdown();
    }

    @Override
    public String toString() {
        return channel.toString();
    }
}
