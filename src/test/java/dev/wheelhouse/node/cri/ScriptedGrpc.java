package dev.wheelhouse.node.cri;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

import com.google.protobuf.MessageLite;

/** A server of one connection that answers each gRPC call by a script; it knows only the frames that this takes. */
final class ScriptedGrpc implements AutoCloseable {
    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int SETTINGS = 4;
    private static final int PREFACE = 24;

    /** Answers the calls in their order. */
    interface Script {
        /** @return null for an answer without a message */
        @Nullable
        MessageLite answer(byte[] request) throws IOException;
    }

    private final ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    private final Script script;
    private final int code;

    /** @param code the gRPC status of all answers */
    ScriptedGrpc(Script script, int code) throws IOException {
        this.script = script;
        this.code = code;
        Thread.ofVirtual().start(() -> {
            try (Socket client = socket.accept()) {
                serve(new DataInputStream(client.getInputStream()), new DataOutputStream(client.getOutputStream()));
            } catch (IOException e) {
                // The client has its answer, or the test has ended.
            }
        });
    }

    String address() {
        return "127.0.0.1:" + socket.getLocalPort();
    }

    private void serve(DataInputStream in, DataOutputStream out) throws IOException {
        in.readFully(new byte[PREFACE]);
        frame(out, SETTINGS, 0, 0, new byte[0]);
        while (true) {
            int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
            int type = in.readUnsignedByte();
            int flags = in.readUnsignedByte();
            int stream = in.readInt();
            byte[] body = new byte[length];
            in.readFully(body);
            if (type == SETTINGS && flags == 0) {
                frame(out, SETTINGS, 1, 0, new byte[0]);
            }
            if (type == DATA && length >= 5) {
                byte[] request = new byte[length - 5];
                System.arraycopy(body, 5, request, 0, request.length);
                answer(out, stream, script.answer(request));
            }
        }
    }

    private void answer(DataOutputStream out, int stream, @Nullable MessageLite answer) throws IOException {
        frame(out, HEADERS, 4, stream, headers(new byte[]{(byte) 0x88}, "content-type", "application/grpc"));
        if (answer != null) {
            byte[] message = answer.toByteArray();
            ByteArrayOutputStream data = new ByteArrayOutputStream();
            DataOutputStream text = new DataOutputStream(data);
            text.writeByte(0);
            text.writeInt(message.length);
            text.write(message);
            frame(out, DATA, 0, stream, data.toByteArray());
        }
        frame(out, HEADERS, 5, stream, headers(new byte[0], "grpc-status", String.valueOf(code), "grpc-message",
                "why"));
    }

    private static byte[] headers(byte[] first, String... namesAndValues) {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        block.writeBytes(first);
        for (int i = 0; i < namesAndValues.length; i++) {
            if (i % 2 == 0) {
                block.write(0);
            }
            block.write(namesAndValues[i].length());
            block.writeBytes(namesAndValues[i].getBytes(StandardCharsets.US_ASCII));
        }
        return block.toByteArray();
    }

    private static void frame(DataOutputStream out, int type, int flags, int stream, byte[] body) throws IOException {
        out.writeByte(0);
        out.writeShort(body.length);
        out.writeByte(type);
        out.writeByte(flags);
        out.writeInt(stream);
        out.write(body);
        out.flush();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
