import SharedFrames
import Testing

@testable import SwiftPlay

/// Tests which picture an output returns for a time. The frame with the number n is due at n x 40 ms.
@Suite struct PlayerItemVideoOutputFramesTests {
    private let frames = TestFrames()
    private let output = PlayerItemVideoOutput()

    private func time(_ milliseconds: Int64) -> MediaTime { MediaTime(value: milliseconds, timescale: 1000) }

    /// Takes the picture for a time and returns its own time in milliseconds; nil if there is no picture.
    private func takePicture(_ milliseconds: Int64) -> Int64? {
        output.copyPixelBuffer(forItemTime: time(milliseconds))?.itemTimeForDisplay.nanoseconds.map { $0 / 1_000_000 }
    }

    @Test func pictureForATimeIsTheLastOneThatIsNotLater() throws {
        for number in 1...3 { output.enqueue(try frames.frame(UInt64(number))) }
        #expect(!output.hasNewPixelBuffer(forItemTime: time(39)) && takePicture(39) == nil)
        #expect(takePicture(40) == 40 && takePicture(119) == 80 && takePicture(5000) == 120)
    }

    @Test func takingAPictureReleasesEarlierPicturesOnly() throws {
        for number in 1...3 { output.enqueue(try frames.frame(UInt64(number))) }
        #expect(takePicture(80) == 80 && takePicture(40) == nil && takePicture(80) == 80)
        #expect(output.hasNewPixelBuffer(forItemTime: time(120)))
    }

    @Test func outputKeepsOnlyTheNewestThreePictures() throws {
        for number in 1...5 { output.enqueue(try frames.frame(UInt64(number))) }
        #expect(takePicture(119) == nil && takePicture(120) == 120)
    }

    @Test func pictureIsNewUntilItIsTakenFromThisOutput() throws {
        let otherOutput = PlayerItemVideoOutput(), frame = try frames.frame(1)
        output.enqueue(frame)
        otherOutput.enqueue(frame)
        #expect(takePicture(40) == 40)
        #expect(
            !output.hasNewPixelBuffer(forItemTime: time(60)) && otherOutput.hasNewPixelBuffer(forItemTime: time(60)))
    }

    @Test(arguments: [MediaTime.invalid, .indefinite, .positiveInfinity])
    func timeThatIsNotNumericHasNoPicture(_ time: MediaTime) throws {
        output.enqueue(try frames.frame(0))
        #expect(!output.hasNewPixelBuffer(forItemTime: time) && output.copyPixelBuffer(forItemTime: time) == nil)
    }

    @Test(.timeLimit(.minutes(1))) func flushDiscardsPicturesAndReachesEachReader() async throws {
        var readers = [output.sequenceFlushes.makeAsyncIterator(), output.sequenceFlushes.makeAsyncIterator()]
        output.enqueue(try frames.frame(1))
        output.flush()
        #expect(takePicture(40) == nil)
        for index in readers.indices { #expect(await readers[index].next() != nil) }
    }

    @Test(.timeLimit(.minutes(1))) func flushSequenceEndsWithItsOutput() async {
        var output: PlayerItemVideoOutput? = PlayerItemVideoOutput()
        var reader = output?.sequenceFlushes.makeAsyncIterator()
        #expect(output != nil)
        output = nil
        #expect(await reader?.next() == nil)
    }

    @Test func attachingAnOutputDiscardsPicturesOfItsFormerItem() throws {
        let item = PlayerItem(location: "/a.mp4")
        output.enqueue(try frames.frame(1))
        item.add(output)
        #expect(takePicture(40) == nil)
        output.enqueue(try frames.frame(2))
        item.remove(output)
        #expect(takePicture(80) == nil && item.outputs.isEmpty && !output.isAttached)
    }

    @Test func outputOfAnotherItemIsNotRemoved() {
        let item = PlayerItem(location: "/a.mp4"), otherItem = PlayerItem(location: "/b.mp4")
        item.add(output)
        otherItem.remove(output)
        #expect(output.isAttached && item.outputs.count == 1)
        item.remove(output)
    }

    @Test func oneSuppressingOutputOfSeveralReplacesThePlayersRendering() {
        let item = PlayerItem(location: "/a.mp4"), suppressingOutput = PlayerItemVideoOutput()
        item.add(output)
        item.add(suppressingOutput)
        #expect(!item.isRenderedElsewhere)
        suppressingOutput.suppressesPlayerRendering = true
        #expect(item.isRenderedElsewhere)
        item.remove(suppressingOutput)
        #expect(!item.isRenderedElsewhere)
        item.remove(output)
    }

    @Test func outputWithoutAPlayerHasNoItemTime() {
        let item = PlayerItem(location: "/a.mp4")
        item.add(output)
        #expect(!output.itemTime(forHostTime: Timebase.hostTime).isValid)
        item.remove(output)
    }
}
