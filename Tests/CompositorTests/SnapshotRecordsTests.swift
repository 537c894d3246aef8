import CompositorProtocol
import Testing

@testable import Compositor

@Suite struct SnapshotRecordsTests {
    private let start = Duration.seconds(1000)

    /// Returns records with a program 1 under the identifier `a`, which has no picture.
    private func records() -> SnapshotRecords {
        var records = SnapshotRecords()
        _ = records.setIdentifier("a", of: 1, now: start) { _ in (false, false) }
        return records
    }

    /// Lets program 1 draw a picture.
    private func draw(_ records: inout SnapshotRecords, digest: UInt64, now: Duration) -> [SnapshotRecords.Action] {
        _ = records.handle(.completedWork, from: 1, now: now)
        guard let name = records.takeRequest(of: 1) else { return [] }
        return records.handleDrawing(digest: digest, name, now: now)
    }

    @Test func completedWorkRequestsAPictureOfThatProgram() {
        var records = records()
        _ = records.setIdentifier("a", of: 2, now: start) { _ in (false, false) }
        #expect(records.handle(.completedWork, from: 1, now: start) == [.request(1)])
        #expect(records.takeRequest(of: 2) == nil && records.takeRequest(of: 1) == "a.png")
    }

    @Test func aPictureThatWasNotRequestedIsNotTaken() {
        var records = records()
        #expect(records.takeRequest(of: 1) == nil && records.takeRequest(of: 9) == nil)
        _ = records.handle(.completedWork, from: 1, now: start)
        #expect(records.takeRequest(of: 1) != nil)
        #expect(records.takeRequest(of: 1) == nil, "each request allows one picture")
    }

    @Test func twoProgramsWithAnIdentifierGetOnePictureInTenSeconds() {
        var records = records()
        _ = records.setIdentifier("a", of: 2, now: start) { _ in (false, false) }
        #expect(records.handle(.completedWork, from: 1, now: start) == [.request(1)])
        #expect(records.handle(.completedWork, from: 2, now: start + .seconds(1)) == [])
        #expect(records.nextTimer == start + .seconds(10))
        #expect(records.handleTimers(now: start + .seconds(9)) == [])
        #expect(records.handleTimers(now: start + .seconds(10)) == [.request(2)])
        #expect(records.nextTimer == nil)
    }

    @Test func aRequestGoesToAConnectedProgram() {
        var records = records()
        _ = records.setIdentifier("a", of: 2, now: start) { _ in (false, false) }
        _ = records.handle(.completedWork, from: 1, now: start)
        _ = records.handle(.completedWork, from: 1, now: start + .seconds(1))
        _ = records.remove(1, now: start + .seconds(2))
        #expect(records.handleTimers(now: start + .seconds(10)) == [.request(2)])
        _ = records.remove(2, now: start + .seconds(11))
        #expect(records.takeRequest(of: 2) == nil)
    }

    @Test func enteringTheBackgroundRequestsAPictureOnce() {
        var records = records()
        #expect(records.setForeground(false, isFloating: false, of: 1, now: start) == [], "it was not in front")
        #expect(records.setForeground(true, isFloating: false, of: 1, now: start) == [])
        #expect(records.setForeground(false, isFloating: false, of: 1, now: start) == [.request(1)])
        #expect(records.setForeground(false, isFloating: false, of: 1, now: start + .seconds(20)) == [])
    }

    @Test func pictureInPictureRequestsNoPicture() {
        var records = records()
        _ = records.setForeground(true, isFloating: false, of: 1, now: start)
        #expect(records.setForeground(false, isFloating: true, of: 1, now: start) == [])
    }

    @Test func onlyAChangedPictureIsWritten() {
        var records = records()
        #expect(draw(&records, digest: 1, now: start) == [.write])
        #expect(draw(&records, digest: 1, now: start + .seconds(20)) == [])
        #expect(draw(&records, digest: 2, now: start + .seconds(40)) == [.write])
    }

    @Test func aPrivateProgramLosesThePictureOfAnEarlierRun() {
        var records = SnapshotRecords()
        _ = records.setIdentifier("a", of: 1, now: start) { _ in (true, false) }
        #expect(records.handle(.isPrivate(true), from: 1, now: start) == [.delete("a.png")])
        #expect(records.picture(of: 1)?.isPrivate == true)
        #expect(records.handle(.completedWork, from: 1, now: start) == [])
    }

    @Test func onePrivateProgramHidesThePictureOfAllWithItsIdentifier() {
        var records = records()
        _ = records.setIdentifier("a", of: 2, now: start) { _ in (false, false) }
        _ = draw(&records, digest: 1, now: start)
        #expect(records.handle(.isPrivate(true), from: 2, now: start) == [.delete("a.png")])
        #expect(records.handle(.isPrivate(false), from: 1, now: start) == [])
        #expect(records.picture(of: 1)?.isPrivate == true)
        #expect(records.remove(2, now: start) == [])
        #expect(records.picture(of: 1)?.isPrivate == false)
    }

    @Test func aPictureThatWasDrawnBeforeAProgramBecamePrivateIsNotWritten() {
        var records = records()
        _ = records.handle(.completedWork, from: 1, now: start)
        let name = records.takeRequest(of: 1)
        _ = records.handle(.isPrivate(true), from: 1, now: start)
        #expect(records.handleDrawing(digest: 1, name ?? "", now: start) == [])
    }

    @Test func aMarkedPictureIsDeletedAtTheNextStart() {
        var records = records()
        _ = draw(&records, digest: 1, now: start)
        #expect(records.handle(.ignoreOnNextLaunch, from: 1, now: start) == [.setMarked("a.png", true)])
        _ = records.remove(1, now: start)
        #expect(
            records.setIdentifier("a", of: 2, now: start) { _ in (true, true) }
                == [.setMarked("a.png", false), .delete("a.png")])
    }

    @Test func aMarkOutlivesTheCompositor() {
        var records = SnapshotRecords()
        #expect(
            records.setIdentifier("a", of: 1, now: start) { _ in (true, true) }
                == [.setMarked("a.png", false), .delete("a.png")])
    }

    @Test func aPictureIsDeletedOnRequestAlsoWithoutAProgram() {
        var records = records()
        #expect(records.remove("b.png", now: start) == [.delete("b.png")])
        #expect(records.handle(.remove, from: 1, now: start) == [.delete("a.png")])
        _ = draw(&records, digest: 1, now: start)
        #expect(records.handle(.remove, from: 1, now: start) == [.delete("a.png")])
    }

    @Test func aDeletedPictureIsNoLongerExpected() {
        var records = records()
        _ = records.handle(.completedWork, from: 1, now: start)
        _ = records.remove("a.png", now: start)
        #expect(records.takeRequest(of: 1) == nil)
    }

    @Test func aPictureIsDeletedAfterThirtyDays() {
        var records = records()
        _ = draw(&records, digest: 1, now: start)
        let days = Duration.seconds(30 * 24 * 3600)
        #expect(records.handleTimers(now: start + days - .seconds(1)) == [])
        #expect(records.handleTimers(now: start + days) == [.delete("a.png")])
    }

    @Test func aProgramCanChangeItsIdentifier() {
        var records = records()
        _ = records.setIdentifier("b", of: 1, now: start) { _ in (false, false) }
        #expect(records.name(of: 1) == "b.png" && records.picture(of: 1)?.identifier == "b")
        #expect(records.identifier(of: "a.png") == "a")
    }

    @Test func anIdentifierThatIsNoNameChangesNothing() {
        var records = records()
        #expect(records.setIdentifier("", of: 1, now: start) { _ in (true, true) } == [])
        #expect(records.setIdentifier("a\n", of: 2, now: start) { _ in (true, true) } == [])
        #expect(records.name(of: 1) == "a.png" && records.name(of: 2) == nil)
    }

    @Test func messagesOfUnknownProgramsAreIgnored() {
        var records = records()
        #expect(records.handle(.completedWork, from: 9, now: start) == [])
        #expect(records.setForeground(true, isFloating: false, of: 9, now: start) == [])
        #expect(records.remove(9, now: start) == [])
    }

    @Test func theRecordsOfEndedProgramsAreBounded() {
        var records = SnapshotRecords()
        for number in 0..<1000 {
            _ = records.setIdentifier("program \(number)", of: 1, now: start) { _ in (false, false) }
        }
        let kept = (0..<1000).count { records.identifier(of: SnapshotFile.name(for: "program \($0)") ?? "") != nil }
        #expect(kept == SnapshotRecords.recordLimit)
        #expect(records.picture(of: 1)?.identifier == "program 999")
    }
}
