// SPDX-License-Identifier: MIT

// What is compiled with every piece of Go: it brings back the variables of the pieces before, and writes down those that
// are there at the end. Each piece is a program of its own (lib/agent/batch/go_pieces.h). Pieces use the names that begin
// with "Trm": go_direct.h makes this file a package of its own, which is compiled once.
//
// Memory is written down as regions: the variables, and what pointers and slices point to. A pointer is a region and an
// offset, so that two that point to the same thing still do. What cannot be brought back is an error that names it.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"reflect"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

type trmVariable struct {
	name string
	at   unsafe.Pointer
	typ  reflect.Type
}

type trmRegion struct {
	at   unsafe.Pointer
	typ  reflect.Type
	n    int    // elements
	name string // of the variable
	path string
}

type trmKey struct {
	at  unsafe.Pointer
	typ reflect.Type
	n   int
}

type trmFailure string

var (
	trmVariables []trmVariable
	trmTypes     map[string]reflect.Type
	trmShown     string
	trmNamed     map[string]unsafe.Pointer // values whose identity counts
)

func trmFail(format string, args ...any) {
	panic(trmFailure(fmt.Sprintf(format, args...)))
}

// ---- what the agent reads ----

var (
	trmReport                               bytes.Buffer
	trmOldState, trmNewState, trmReportFile string // paths; no old state: ""
)

func trmWriteRecord(fields ...string) {
	for _, field := range fields {
		trmReport.WriteString(strings.ReplaceAll(field, "\x00", "\ufffd"))
		trmReport.WriteByte(0)
	}
}

func trmLeave(code int) {
	os.WriteFile(trmReportFile, trmReport.Bytes(), 0o600)
	os.Exit(code)
}

func trmText(value any) (text string) {
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("(%T)", value)
		}
	}()
	switch v := value.(type) {
	case nil:
		return "nil"
	case error:
		return v.Error()
	case fmt.Stringer:
		return v.String()
	case float64:
		text = strconv.FormatFloat(v, 'g', -1, 64)
		return text
	}
	text = fmt.Sprintf("%#v", value)
	return strings.ReplaceAll(text, "main.", "")
}

func TrmShow(values ...any) {
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = trmText(value)
	}
	trmShown = strings.Join(texts, ", ")
	if len(trmShown) > 1000000 {
		trmShown = trmShown[:1000000]
	}
}

// Deferred in every function of statements.
func TrmCatch() {
	value := recover()
	if value == nil {
		return
	}
	trmWriteRecord("E", "panic", fmt.Sprint(value))
	pcs := make([]uintptr, 100)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for {
		frame, more := frames.Next()
		if strings.HasPrefix(frame.Function, "main.") {
			name := strings.TrimPrefix(frame.Function, "main.")
			if strings.HasPrefix(name, "trm") {
				name = ""
			}
			trmWriteRecord("T", name, fmt.Sprintf("%s:%d", frame.File, frame.Line))
		}
		if !more {
			break
		}
	}
	trmLeave(2)
}

// ---- types ----

func trmKeyOf(t reflect.Type) string {
	if t.Name() != "" {
		return t.PkgPath() + "." + t.Name()
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + trmKeyOf(t.Elem())
	case reflect.Slice:
		return "[]" + trmKeyOf(t.Elem())
	case reflect.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), trmKeyOf(t.Elem()))
	case reflect.Map:
		return "map[" + trmKeyOf(t.Key()) + "]" + trmKeyOf(t.Elem())
	}
	return t.String()
}

// What a value of the type is made of: if this is another one in a later piece, its values cannot be brought back.
func trmShape(t reflect.Type) string {
	if t.Kind() != reflect.Struct {
		return t.Kind().String() + strconv.Itoa(int(t.Size()))
	}
	text := "struct"
	for i := 0; i < t.NumField(); i++ {
		field := t.Field(i)
		text += fmt.Sprintf(" %d %s", field.Offset, trmKeyOf(field.Type))
	}
	return text
}

// Know the type, and what it is made of, by name.
func trmLearn(t reflect.Type) {
	key := trmKeyOf(t)
	if _, isKnown := trmTypes[key]; isKnown {
		return
	}
	trmTypes[key] = t
	switch t.Kind() {
	case reflect.Map:
		trmLearn(t.Key())
		trmLearn(t.Elem())
	case reflect.Pointer, reflect.Slice, reflect.Array:
		trmLearn(t.Elem())
	case reflect.Struct:
		for i := 0; i < t.NumField(); i++ {
			trmLearn(t.Field(i).Type)
		}
	}
	if t.Kind() != reflect.Pointer && t.Name() != "" {
		trmLearn(reflect.PointerTo(t))
	}
}

func trmPrepare() {
	trmTypes = map[string]reflect.Type{}
	for _, value := range []any{false, 0, int8(0), int16(0), int32(0), int64(0), uint(0), uint8(0), uint16(0), uint32(0),
		uint64(0), uintptr(0), float32(0), 0.0, complex64(0), complex128(0), "", []any{}, map[string]any{}, []string{}, []int{},
		[]byte{}, []float64{}, map[string]string{}, map[string]int{}, errors.New(""), fmt.Errorf("%w", io.EOF),
		&fs.PathError{}, &os.SyscallError{}, syscall.Errno(0), &strconv.NumError{}, time.Time{}, time.Duration(0)} {
		trmLearn(reflect.TypeOf(value))
	}
	trmNamed = map[string]unsafe.Pointer{"os.Stdin": unsafe.Pointer(os.Stdin), "os.Stdout": unsafe.Pointer(os.Stdout),
		"os.Stderr": unsafe.Pointer(os.Stderr), "time.Local": unsafe.Pointer(time.Local), "time.UTC": unsafe.Pointer(time.UTC)}
	for name, err := range map[string]error{"io.EOF": io.EOF, "io.ErrUnexpectedEOF": io.ErrUnexpectedEOF,
		"io.ErrClosedPipe": io.ErrClosedPipe, "io.ErrShortBuffer": io.ErrShortBuffer, "io.ErrShortWrite": io.ErrShortWrite,
		"io.ErrNoProgress": io.ErrNoProgress, "fs.ErrInvalid": fs.ErrInvalid, "fs.ErrPermission": fs.ErrPermission,
		"fs.ErrExist": fs.ErrExist, "fs.ErrNotExist": fs.ErrNotExist, "fs.ErrClosed": fs.ErrClosed,
		"strconv.ErrSyntax": strconv.ErrSyntax, "strconv.ErrRange": strconv.ErrRange} {
		if value := reflect.ValueOf(err); value.Kind() == reflect.Pointer {
			trmNamed[name] = value.UnsafePointer()
		}
	}
}

func TrmVar(name string, pointer any) {
	value := reflect.ValueOf(pointer)
	trmVariables = append(trmVariables, trmVariable{name, value.UnsafePointer(), value.Type().Elem()})
	trmLearn(value.Type().Elem())
}

func TrmType(pointer any) {
	trmLearn(reflect.TypeOf(pointer).Elem())
}

// The type as it is written in Go, and the packages that it names.
func trmWritten(t reflect.Type, imports map[string]bool, path string) string {
	if t.Name() != "" {
		name := t.Name()
		switch {
		case t.PkgPath() == "":
			return name
		case t.PkgPath() == "main":
			name = strings.ReplaceAll(name, "main.", "")
			if strings.ContainsAny(name, "./") {
				trmFail("variable %s has the type %s, which a later piece cannot name", path, t)
			}
			return name
		case name[0] < 'A' || name[0] > 'Z' || strings.Contains(name, "["):
			trmFail("variable %s has the type %s, which a later piece cannot name", path, t)
		}
		imports[t.PkgPath()] = true
		return trmAlias(t.PkgPath()) + "." + name
	}
	written := func(part reflect.Type) string { return trmWritten(part, imports, path) }
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + written(t.Elem())
	case reflect.Slice:
		return "[]" + written(t.Elem())
	case reflect.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), written(t.Elem()))
	case reflect.Map:
		return "map[" + written(t.Key()) + "]" + written(t.Elem())
	case reflect.Chan:
		return "chan " + written(t.Elem())
	case reflect.Struct:
		text := "struct { "
		for i := 0; i < t.NumField(); i++ {
			field := t.Field(i)
			if !field.Anonymous {
				text += field.Name + " "
			}
			text += written(field.Type) + " "
			if field.Tag != "" {
				text += strconv.Quote(string(field.Tag))
			}
			text += "; "
		}
		return text + "}"
	case reflect.Func:
		text := "func("
		for i := 0; i < t.NumIn(); i++ {
			if t.IsVariadic() && i == t.NumIn()-1 {
				text += "..." + written(t.In(i).Elem())
			} else {
				text += written(t.In(i)) + ", "
			}
		}
		text += ") ("
		for i := 0; i < t.NumOut(); i++ {
			text += written(t.Out(i)) + ", "
		}
		return text + ")"
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return "interface{}"
		}
	}
	trmFail("variable %s has the type %s, which a later piece cannot name", path, t)
	return ""
}

func trmAlias(path string) string {
	return "trmp_" + strings.Map(func(r rune) rune {
		if (r >= 'a' && r <= 'z') || (r >= 'A' && r <= 'Z') || (r >= '0' && r <= '9') {
			return r
		}
		return '_'
	}, path)
}

// ---- finding what there is ----

type trmFinder struct {
	seen    map[trmKey]bool
	maps    map[unsafe.Pointer]int
	regions []trmRegion
	own     [][2]uintptr // where the program's own variables lie
}

// From the program's header (elf(5), 64 bits), which lies in front of its code: /proc is not readable at all levels of
// isolation. Its fields are at fixed places: type 16, table of segments 32, size of a row 54, rows 56; in a row
// its type 0, offset 8, address 16, size in memory 40.
func (f *trmFinder) readOwn() {
	const page, executable, load = 4096, 2, 1
	head := reflect.ValueOf(trmFail).Pointer() &^ (page - 1)
	for *(*[4]byte)(unsafe.Pointer(head)) != [4]byte{0x7f, 'E', 'L', 'F'} {
		head -= page
	}
	half := func(at uintptr) uint16 { return *(*uint16)(unsafe.Pointer(at)) }
	word := func(at uintptr) uintptr { return uintptr(*(*uint64)(unsafe.Pointer(at))) }
	base := uintptr(0) // what is added to the addresses of the rows
	for i := uintptr(0); i < uintptr(half(head+56)); i++ {
		row := head + word(head+32) + i*uintptr(half(head+54))
		if *(*uint32)(unsafe.Pointer(row)) != load {
			continue
		}
		from := word(row + 16)
		if half(head+16) != executable && word(row+8) == 0 {
			base = head - from
		}
		f.own = append(f.own, [2]uintptr{base + from, base + from + word(row+40)})
	}
}

func (f *trmFinder) isOwn(at unsafe.Pointer) bool {
	for _, one := range f.own {
		if uintptr(at) >= one[0] && uintptr(at) < one[1] {
			return true
		}
	}
	return false
}

func (f *trmFinder) isVariable(at unsafe.Pointer) bool {
	for _, one := range trmVariables {
		if uintptr(at) >= uintptr(one.at) && uintptr(at) < uintptr(one.at)+one.typ.Size() {
			return true
		}
	}
	return false
}

func trmNameOf(at unsafe.Pointer) string {
	for name, one := range trmNamed {
		if at == one {
			return name
		}
	}
	return ""
}

func (f *trmFinder) region(at unsafe.Pointer, t reflect.Type, n int, path string) {
	key := trmKey{at, t, n}
	if t.Size() == 0 || f.seen[key] || trmNameOf(at) != "" {
		return
	}
	f.seen[key] = true
	if f.isOwn(at) && !f.isVariable(at) {
		trmFail("%s points to a variable of a package (%s)", path, t)
	}
	if trmTypes[trmKeyOf(t)] == nil {
		trmFail("%s is a %s, which no variable and no type of the pieces names", path, t)
	}
	f.regions = append(f.regions, trmRegion{at: at, typ: t, n: n, path: path})
	for i := 0; i < n && !trmIsPlain(t); i++ {
		f.look(unsafe.Add(at, uintptr(i)*t.Size()), t, path)
	}
}

func trmIsPlain(t reflect.Type) bool {
	return t.Kind() <= reflect.Complex128 || t.Kind() == reflect.String
}

func (f *trmFinder) look(at unsafe.Pointer, t reflect.Type, path string) {
	switch t.Kind() {
	case reflect.Pointer:
		if to := *(*unsafe.Pointer)(at); to != nil {
			f.region(to, t.Elem(), 1, path)
		}
	case reflect.Slice:
		value := reflect.NewAt(t, at).Elem()
		if value.Cap() > 0 {
			f.region(value.UnsafePointer(), t.Elem(), value.Cap(), path)
		}
	case reflect.Array:
		for i := 0; i < t.Len() && !trmIsPlain(t.Elem()); i++ {
			f.look(unsafe.Add(at, uintptr(i)*t.Elem().Size()), t.Elem(), path)
		}
	case reflect.Struct:
		if t.PkgPath() == "os" && (t.Name() == "File" || t.Name() == "file") {
			trmFail("%s is an open file", path)
		}
		for i := 0; i < t.NumField(); i++ {
			f.look(unsafe.Add(at, t.Field(i).Offset), t.Field(i).Type, path+"."+t.Field(i).Name)
		}
	case reflect.Map:
		f.lookMap(at, t, path)
	case reflect.Interface:
		value := reflect.NewAt(t, at).Elem()
		if value.IsNil() {
			return
		}
		dynamic := value.Elem()
		if trmTypes[trmKeyOf(dynamic.Type())] == nil {
			trmFail("%s is a %s, which no variable and no type of the pieces names", path, dynamic.Type())
		}
		copied := reflect.New(dynamic.Type())
		copied.Elem().Set(dynamic)
		f.look(copied.UnsafePointer(), dynamic.Type(), path)
	case reflect.Chan:
		if *(*unsafe.Pointer)(at) != nil {
			trmFail("%s is a channel", path)
		}
	case reflect.Func:
		if *(*unsafe.Pointer)(at) != nil {
			trmFail("%s is a function", path)
		}
	case reflect.UnsafePointer:
		if *(*unsafe.Pointer)(at) != nil {
			trmFail("%s is an unsafe.Pointer", path)
		}
	}
}

func (f *trmFinder) lookMap(at unsafe.Pointer, t reflect.Type, path string) {
	id := *(*unsafe.Pointer)(at)
	if _, isSeen := f.maps[id]; id == nil || isSeen {
		return
	}
	f.maps[id] = -1
	for all := reflect.NewAt(t, at).Elem().MapRange(); all.Next(); {
		for _, value := range []reflect.Value{all.Key(), all.Value()} {
			copied := reflect.New(value.Type())
			copied.Elem().Set(value)
			f.look(copied.UnsafePointer(), value.Type(), path)
		}
	}
}

// One that lies in another one is a part of that.
func (f *trmFinder) merge() {
	list := f.regions
	end := func(r trmRegion) uintptr { return uintptr(r.at) + uintptr(r.n)*r.typ.Size() }
	sort.SliceStable(list, func(i, k int) bool {
		if list[i].at != list[k].at {
			return uintptr(list[i].at) < uintptr(list[k].at)
		}
		return end(list[i]) > end(list[k])
	})
	var merged []trmRegion
	for _, r := range list {
		last := len(merged) - 1
		if last < 0 || uintptr(r.at) >= end(merged[last]) {
			merged = append(merged, r)
			continue
		}
		into := &merged[last]
		if into.name == "" && r.name != "" {
			into.name, into.typ, into.n = r.name, r.typ, r.n
		}
		if end(r) <= end(*into) {
			continue
		}
		size := r.typ.Size()
		if into.typ != r.typ || into.name != "" || (uintptr(r.at)-uintptr(into.at))%size != 0 {
			trmFail("%s shares memory with %s in a way that cannot be written down", r.path, into.path)
		}
		into.n = int((end(r) - uintptr(into.at)) / size)
	}
	f.regions = merged
}

// ---- writing ----

type trmWriter struct {
	trmFinder
	out bytes.Buffer
}

func (w *trmWriter) number(n int) {
	var text [10]byte
	k := 0
	for u := uint64(n); ; u >>= 7 {
		if u < 0x80 {
			text[k] = byte(u)
			break
		}
		text[k] = byte(u) | 0x80
		k++
	}
	w.out.Write(text[:k+1])
}

func (w *trmWriter) text(s string) {
	w.number(len(s))
	w.out.WriteString(s)
}

// 0: nil, 1: of that name, 2: no size, else a region and an offset.
func (w *trmWriter) pointer(to unsafe.Pointer, size uintptr) {
	name := trmNameOf(to)
	switch {
	case to == nil:
		w.number(0)
	case name != "":
		w.number(1)
		w.text(name)
	case size == 0:
		w.number(2)
	default:
		i := sort.Search(len(w.regions), func(i int) bool { return uintptr(w.regions[i].at) > uintptr(to) }) - 1
		w.number(3 + i)
		w.number(int(uintptr(to) - uintptr(w.regions[i].at)))
	}
}

func (w *trmWriter) value(at unsafe.Pointer, t reflect.Type) {
	switch t.Kind() {
	case reflect.String:
		w.text(*(*string)(at))
	case reflect.Pointer:
		w.pointer(*(*unsafe.Pointer)(at), t.Elem().Size())
	case reflect.Slice:
		value := reflect.NewAt(t, at).Elem()
		if value.IsNil() {
			w.number(0)
			return
		}
		w.number(value.Len() + 1)
		w.number(value.Cap())
		if value.Cap() > 0 {
			w.pointer(value.UnsafePointer(), t.Elem().Size())
		}
	case reflect.Array:
		for i := 0; i < t.Len(); i++ {
			w.value(unsafe.Add(at, uintptr(i)*t.Elem().Size()), t.Elem())
		}
	case reflect.Struct:
		for i := 0; i < t.NumField(); i++ {
			w.value(unsafe.Add(at, t.Field(i).Offset), t.Field(i).Type)
		}
	case reflect.Map:
		w.mapping(at, t)
	case reflect.Interface:
		value := reflect.NewAt(t, at).Elem()
		if value.IsNil() {
			w.text("")
			return
		}
		dynamic := value.Elem()
		w.text(trmKeyOf(dynamic.Type()))
		copied := reflect.New(dynamic.Type())
		copied.Elem().Set(dynamic)
		w.value(copied.UnsafePointer(), dynamic.Type())
	case reflect.Chan, reflect.Func, reflect.UnsafePointer:
	default:
		w.out.Write(unsafe.Slice((*byte)(at), t.Size()))
	}
}

// 0: nil, 1: a new one, else one that was there.
func (w *trmWriter) mapping(at unsafe.Pointer, t reflect.Type) {
	id := *(*unsafe.Pointer)(at)
	if id == nil {
		w.number(0)
		return
	}
	if had := w.maps[id]; had >= 0 {
		w.number(2 + had)
		return
	}
	n := 0
	for _, number := range w.maps {
		if number >= n {
			n = number + 1
		}
	}
	w.maps[id] = n
	value := reflect.NewAt(t, at).Elem()
	w.number(1)
	w.number(n)
	w.number(value.Len())
	for all := value.MapRange(); all.Next(); {
		for _, part := range []reflect.Value{all.Key(), all.Value()} {
			copied := reflect.New(part.Type())
			copied.Elem().Set(part)
			w.value(copied.UnsafePointer(), part.Type())
		}
	}
}

func trmSave() {
	w := trmWriter{trmFinder: trmFinder{seen: map[trmKey]bool{}, maps: map[unsafe.Pointer]int{}}}
	w.readOwn()
	for _, one := range trmVariables {
		if one.typ.Size() > 0 {
			w.regions = append(w.regions, trmRegion{at: one.at, typ: one.typ, n: 1, name: one.name, path: one.name})
		}
	}
	for _, one := range trmVariables {
		w.look(one.at, one.typ, one.name)
	}
	w.merge()
	w.number(len(w.regions))
	for _, r := range w.regions {
		w.text(r.name)
		w.text(trmKeyOf(r.typ))
		w.text(trmShape(r.typ))
		w.number(r.n)
	}
	for _, r := range w.regions {
		part := trmWriter{trmFinder: w.trmFinder}
		for i := 0; i < r.n; i++ {
			part.value(unsafe.Add(r.at, uintptr(i)*r.typ.Size()), r.typ)
		}
		w.text(part.out.String())
	}
	if err := os.WriteFile(trmNewState, w.out.Bytes(), 0o600); err != nil {
		trmFail("the variables cannot be written: %v", err)
	}
}

// ---- reading ----

type trmReader struct {
	in      []byte
	regions []trmMade
	maps    map[int]reflect.Value
}

// A region while it is being read.
type trmMade struct {
	at  unsafe.Pointer // nil: its type has changed, or is gone
	typ reflect.Type
	n   int
	key string
}

func (r *trmReader) number() int {
	n := uint64(0)
	for shift := 0; ; shift += 7 {
		b := r.in[0]
		r.in = r.in[1:]
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return int(n)
		}
	}
}

func (r *trmReader) text() string {
	n := r.number()
	s := string(r.in[:n])
	r.in = r.in[n:]
	return s
}

func (r *trmReader) pointer(t reflect.Type) unsafe.Pointer {
	switch n := r.number(); n {
	case 0:
		return nil
	case 1:
		return trmNamed[r.text()]
	case 2:
		return reflect.New(t).UnsafePointer()
	default:
		region := r.regions[n-3]
		if region.at == nil {
			trmFailType(region.key)
		}
		return unsafe.Add(region.at, r.number())
	}
}

func (r *trmReader) value(at unsafe.Pointer, t reflect.Type) {
	switch t.Kind() {
	case reflect.String:
		*(*string)(at) = r.text()
	case reflect.Pointer:
		*(*unsafe.Pointer)(at) = r.pointer(t.Elem())
	case reflect.Slice:
		r.slice(at, t)
	case reflect.Array:
		for i := 0; i < t.Len(); i++ {
			r.value(unsafe.Add(at, uintptr(i)*t.Elem().Size()), t.Elem())
		}
	case reflect.Struct:
		for i := 0; i < t.NumField(); i++ {
			r.value(unsafe.Add(at, t.Field(i).Offset), t.Field(i).Type)
		}
	case reflect.Map:
		r.mapping(at, t)
	case reflect.Interface:
		if key := r.text(); key != "" {
			value := reflect.New(trmKnown(key))
			r.value(value.UnsafePointer(), value.Type().Elem())
			reflect.NewAt(t, at).Elem().Set(value.Elem())
		}
	case reflect.Chan, reflect.Func, reflect.UnsafePointer:
	default:
		copy(unsafe.Slice((*byte)(at), t.Size()), r.in)
		r.in = r.in[t.Size():]
	}
}

func (r *trmReader) slice(at unsafe.Pointer, t reflect.Type) {
	n := r.number()
	if n == 0 {
		return
	}
	room := r.number()
	if room == 0 {
		reflect.NewAt(t, at).Elem().Set(reflect.MakeSlice(t, 0, 0))
		return
	}
	header := (*struct {
		at        unsafe.Pointer
		len, room int
	})(at)
	header.at = r.pointer(reflect.ArrayOf(room, t.Elem()))
	header.len, header.room = n-1, room
}

func (r *trmReader) mapping(at unsafe.Pointer, t reflect.Type) {
	n := r.number()
	into := reflect.NewAt(t, at).Elem()
	if n == 0 {
		return
	}
	if n > 1 {
		had := r.maps[n-2]
		if !had.IsValid() || had.Type() != t {
			trmFailType(trmKeyOf(t))
		}
		into.Set(had)
		return
	}
	id := r.number()
	n = r.number()
	made := reflect.MakeMapWithSize(t, n)
	r.maps[id] = made
	into.Set(made)
	for ; n > 0; n-- {
		key, value := reflect.New(t.Key()), reflect.New(t.Elem())
		r.value(key.UnsafePointer(), t.Key())
		r.value(value.UnsafePointer(), t.Elem())
		made.SetMapIndex(key.Elem(), value.Elem())
	}
}

func trmFailType(key string) {
	trmFail("the type %s has changed, and variables of earlier pieces have values of the old one: declare them anew, or reset",
		strings.ReplaceAll(strings.TrimLeft(key, "*"), "main.", ""))
}

func trmKnown(key string) reflect.Type {
	t := trmTypes[key]
	if t == nil {
		trmFailType(key)
	}
	return t
}

// Where a region is to be. What belonged only to variables that this piece declares anew may be lost.
func (r *trmReader) makeRegion() trmMade {
	name, key, shape := r.text(), r.text(), r.text()
	made := trmMade{typ: trmTypes[key], n: r.number(), key: key}
	isSame := made.typ != nil && trmShape(made.typ) == shape
	for _, one := range trmVariables {
		if one.name != name {
			continue
		}
		if !isSame || one.typ != made.typ {
			trmFailType(key)
		}
		made.at = one.at
	}
	if made.at == nil && isSame {
		made.at = reflect.MakeSlice(reflect.SliceOf(made.typ), made.n, made.n).UnsafePointer()
	}
	return made
}

func trmRead() {
	state, err := os.ReadFile(trmOldState)
	if err != nil {
		trmFail("the variables cannot be read: %v", err)
	}
	r := trmReader{in: state, maps: map[int]reflect.Value{}}
	for n := r.number(); n > 0; n-- {
		r.regions = append(r.regions, r.makeRegion())
	}
	rest := r.in
	for _, region := range r.regions {
		r.in = rest
		n := r.number()
		rest = r.in[n:]
		for k := 0; k < region.n && region.at != nil; k++ {
			r.value(unsafe.Add(region.at, uintptr(k)*region.typ.Size()), region.typ)
		}
	}
}

// ---- the beginning and the end of a piece ----

func TrmReportFailure() {
	value := recover()
	if failure, is := value.(trmFailure); is {
		trmWriteRecord("E", "NotCarriedOver", string(failure))
		trmLeave(1)
	} else if value != nil {
		trmWriteRecord("E", "NotCarriedOver", fmt.Sprint("the variables cannot be written or read: ", value))
		trmLeave(1)
	}
}

func TrmBegin(registerOld func(), oldState, newState, reportFile string) (_ struct{}) {
	trmOldState, trmNewState, trmReportFile = oldState, newState, reportFile
	defer TrmReportFailure()
	trmPrepare()
	registerOld()
	if trmOldState != "" {
		trmRead()
	}
	return
}

// So that the value is made when the program runs, and not laid out by the compiler among the variables of packages.
//
//go:noinline
func TrmKeep[T any](value T) T { return value }

func TrmLiteral(name string, now, first any) {
	if reflect.ValueOf(now).Pointer() != reflect.ValueOf(first).Pointer() {
		trmFail("%s is another function than the one it was declared with", name)
	}
}

func TrmEnd() {
	defer TrmReportFailure()
	for wait := 0; runtime.NumGoroutine() > 1; wait++ {
		if wait == 100 {
			trmFail("%d goroutine(s) of the piece still run: wait for them in the piece that starts them", runtime.NumGoroutine()-1)
		}
		time.Sleep(time.Millisecond)
	}
	trmSave()
	for _, one := range trmVariables {
		imports := map[string]bool{}
		written := trmWritten(one.typ, imports, one.name)
		paths := ""
		for path := range imports {
			paths += path + "\n"
		}
		text := trmText(reflect.NewAt(one.typ, one.at).Elem().Interface())
		if len(text) > 200 {
			text = text[:200]
		}
		trmWriteRecord("v", one.name, written, paths, strings.ReplaceAll(one.typ.String(), "main.", ""), text)
	}
	if trmShown != "" {
		trmWriteRecord("V", trmShown)
	}
	trmWriteRecord("D")
	trmLeave(0)
}
