// Package main has what Go's table of functions has to say of code: inlined calls, closures, methods, generics.
package main

import (
	"errors"
	"os"
	"sort"
	"strings"
)

type number interface{ ~int | ~float64 }

func sum[T number](all []T) T {
	var total T
	for _, one := range all {
		total = add(total, one)
	}
	return total
}

func add[T number](a, b T) T { return twice(a) - a + b }

func twice[T number](a T) T { return a + a }

type shape interface{ area() int }

type square struct{ side int }

func (s square) area() int { return product(s.side, s.side) }

type named struct {
	square // its methods get wrappers
	name   string
}

func product(a, b int) int { return checked(a) * checked(b) }

func checked(a int) int {
	if a > 1000 {
		panic(errors.New("too large"))
	}
	return a
}

//go:noinline
func work(n int) (result int) {
	defer func() {
		if recover() != nil {
			result = -1
		}
	}()
	type pair struct{ key, value int }
	pairs := []pair{{3, n}, {n, 2}, {1, 1}}
	sort.Slice(pairs, func(i, j int) bool { return pairs[i].key < pairs[j].key })
	visit := func(s shape) { result += s.area() }
	for _, one := range pairs {
		visit(square{one.key})
		visit(&named{square{one.value}, strings.Repeat("x", n)})
	}
//line generated.y:7
	result += product(n, 3)
	return result
}

func main() {
	println(sum([]int{1, 2, 3}), sum([]float64{1, 2}), work(len(os.Args)))
}
