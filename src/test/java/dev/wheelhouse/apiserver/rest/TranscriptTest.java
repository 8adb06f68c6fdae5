package dev.wheelhouse.apiserver.rest;

import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.TestFactory;

@DisplayName("The API server answers as the transcripts say")
class TranscriptTest {
    @TestFactory
    Stream<DynamicContainer> answersAsTheTranscriptsSay() {
        return Transcript.all();
    }
}
