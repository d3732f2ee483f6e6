! SPDX-License-Identifier: MIT
!+ -fno-inline -fno-optimize-sibling-calls
! Fortran: recursion, contained procedures, select case, an early return.
program main
    implicit none
    integer :: i, total
    total = 0
    do i = 1, 4                                  !* 5
        if (mod(i, 2) == 0) cycle                !* 4
        total = total + kind_of(i)
    end do
    print '(i0,1x,i0)', total, depth(3)
contains
    integer function kind_of(n)
        integer, intent(in) :: n
        select case (n)
        case (1)
            kind_of = 10                         !* 1
        case (2:5)
            kind_of = 20                         !* 1
        case default
            kind_of = 0
        end select
    end function
    recursive integer function depth(n) result(d)
        integer, intent(in) :: n
        if (n == 0) then                         !* 4
            d = 0                                !* 1
            return                               !* 1
        end if
        d = depth(n - 1) + 1                     !* 3
    end function
end program
!= 30 3
!> MAIN__
!>   kind_of
!>   kind_of
!>   depth
!>     depth
!>       depth
!>         depth
