package dev.wheelhouse.informer;

import java.io.IOException;

import dev.wheelhouse.client.http.ContentType;

/** The same faults in answers of protobuf, where a cut is within a length or a value. */
class ProtobufFaultsTest extends WireFaultsTest {
    ProtobufFaultsTest() throws IOException {}

    @Override
    ContentType contentType() {
        return ContentType.PROTOBUF;
    }
}
