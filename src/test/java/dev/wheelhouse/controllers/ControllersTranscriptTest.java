package dev.wheelhouse.controllers;

import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

import dev.wheelhouse.apiserver.rest.Transcript;

@Tag("stepped")
@DisplayName("The controllers do as the transcripts say")
class ControllersTranscriptTest {
    @TestFactory
    Stream<DynamicContainer> doAsTheTranscriptsSay() {
        return Transcript.all("controllers", TranscribedCluster::new);
    }
}
